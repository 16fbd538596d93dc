"""The names and values that one request's expressions stand for."""

from makegood.adapters.dynamodb_attributes import AttributeValue


class Words:
    """Collects placeholders, because many attribute names are reserved words.

    Source: DynamoDB developer guide, "Reserved words in DynamoDB".
    """

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.values: dict[str, AttributeValue] = {}

    def name(self, attribute: str) -> str:
        """Return the placeholder of an attribute's name."""
        self.names[f"#{attribute}"] = attribute
        return f"#{attribute}"

    def value(self, value: AttributeValue) -> str:
        """Return a placeholder for a value."""
        placeholder = f":{len(self.values)}"
        self.values[placeholder] = value
        return placeholder

    def text(self, value: str) -> str:
        """Return a placeholder for a text."""
        return self.value({"S": value})

    def number(self, value: int) -> str:
        """Return a placeholder for a whole number."""
        return self.value({"N": str(value)})
