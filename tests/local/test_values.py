"""The template's expressions, as far as the local stack works them out itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from makegood_cli.local import template
from makegood_cli.local.values import NO_VALUE, Values

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATE = """
Parameters:
  Reserve: {Type: String, Default: 'true'}
  Count: {Type: Number, Default: 0}
Conditions:
  Reserves: !Equals [!Ref Reserve, 'true']
  Counts: !Not [!Equals [!Ref Count, 0]]
  Both: !And [!Condition Reserves, !Condition Counts]
  Either: !Or [!Condition Reserves, !Condition Counts]
Resources:
  Table: {Type: AWS::DynamoDB::Table, Properties: {Name: !Sub '${AWS::StackName}-x', Arn: !GetAtt Queue.Arn}}
  Queue: {Type: AWS::SQS::Queue}
Outputs:
  Name: {Value: !Ref Table}
"""


@pytest.fixture
def document(tmp_path: Path) -> template.Template:
    (tmp_path / "template.yaml").write_text(TEMPLATE)
    return template.load(tmp_path / "template.yaml")


def test_short_forms_are_spelt_out(document: template.Template) -> None:
    assert template.resources_of(document, "AWS::DynamoDB::Table") == {
        "Table": {"Name": {"Fn::Sub": "${AWS::StackName}-x"}, "Arn": {"Fn::GetAtt": ["Queue", "Arn"]}}
    }
    assert document["Conditions"]["Both"] == {"Fn::And": [{"Condition": "Reserves"}, {"Condition": "Counts"}]}


def test_a_part_of_a_template_keeps_what_its_resources_need(document: template.Template) -> None:
    part = template.only(document, {"AWS::SQS::Queue"})
    assert part == {
        "Parameters": document["Parameters"],
        "Conditions": document["Conditions"],
        "Resources": {"Queue": {"Type": "AWS::SQS::Queue"}},
    }


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (5, 5),
        ({"Ref": "Reserve"}, "true"),
        ({"Ref": "Table"}, "the-table"),
        ({"Fn::If": ["Reserves", 1, {"Ref": "AWS::NoValue"}]}, 1),
        ({"Fn::If": ["Counts", 1, {"Ref": "AWS::NoValue"}]}, NO_VALUE),
        ({"Fn::If": ["Both", "yes", "no"]}, "no"),
        ({"Fn::If": ["Either", "yes", "no"]}, "yes"),
        ([{"Ref": "Count"}], [0]),
        ({"a": {"Ref": "AWS::NoValue"}, "b": 1}, {"b": 1}),
        ({"Fn::GetAtt": ["Queue", "Arn"]}, {"Fn::GetAtt": ["Queue", "Arn"]}),
    ],
)
def test_an_expression_is_worked_out(document: template.Template, expression: object, value: Any) -> None:  # noqa: ANN401
    assert Values.of(document, {}, {"Table": "the-table"}).of_expression(expression) == value


def test_a_given_parameter_goes_before_its_default(document: template.Template) -> None:
    values = Values.of(document, {"Count": "3"}, {})
    assert values.of_expression({"Ref": "Count"}) == "3"
    assert values.holds({"Condition": "Both"})


def test_a_function_that_is_no_condition_is_refused(document: template.Template) -> None:
    with pytest.raises(TypeError, match="Fn::Select"):
        Values.of(document, {}, {}).holds({"Fn::Select": [0, []]})
