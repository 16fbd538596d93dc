"""What neither moto nor the engine can vouch for, as AWS does it, and the tests that show it all the same."""

from __future__ import annotations

from typing import NamedTuple


class Gap(NamedTuple):
    """A behaviour of AWS that a test must bring about by itself."""

    behaviour: str
    instead: str  #: what moto (5.2.5) or the engine (MiniStack 1.5.33) does
    tests: tuple[str, ...]


_QUEUE = "tests/contract/test_queue.py"
_INPUT = "tests/cases/test_case_input.py"
_DELIVERY = "tests/cases/test_case_delivery.py"
_LIMITS = "tests/cases/test_case_limits.py"
_RUN = "tests/cases/test_case_run.py"
_STATE = "tests/cases/test_case_state.py"
_SWEEP = "tests/cases/test_case_sweep.py"
_TIME = "tests/cases/test_case_time.py"
_FAULTS = "tests/contract/test_store_faults.py"
_REPEATS = "tests/contract/test_store_repeats.py"

GAPS = (
    Gap(
        "SQS refuses control characters, U+FFFE and U+FFFF",
        "both take them",
        (
            f"{_INPUT}::test_text_that_a_queue_would_refuse_is_carried_in_the_row_alone",
            f"{_QUEUE}::test_what_no_worker_could_read_is_refused_without_being_sent",
            f"{_QUEUE}::test_one_body_for_which_the_whole_batch_is_refused_costs_only_itself",
        ),
    ),
    Gap(
        "SQS refuses an empty body",
        "moto takes it",
        ("tests/contract/test_messages.py::test_a_message_holds_an_id_and_a_format_and_nothing_else",),
    ),
    Gap(
        "SQS holds a message back for 900 s at most",
        "the engine takes 901",
        (f"{_QUEUE}::test_a_delay_is_rounded_up_to_seconds_within_what_sqs_takes",),
    ),
    Gap(
        "SQS takes a part of a batch under an answer of 200",
        "neither refuses an entry by itself",
        (
            f"{_DELIVERY}::test_what_a_batch_did_not_take_is_counted_and_sent_again",
            f"{_QUEUE}::test_of_seven_taken_and_two_refused_the_tenth_has_failed",
        ),
    ),
    Gap(
        "a purge takes up to 60 s and what is sent meanwhile",
        "both purge at once; moto refuses a second purge within 60 s, the engine does not",
        (f"{_DELIVERY}::test_what_a_purge_took_is_sent_once_and_done_once",),
    ),
    Gap(
        "a transaction with a token that was used is told apart: the same, running, or another",
        "moto writes it a second time",
        (
            f"{_REPEATS}::test_a_large_add_whose_reply_was_lost_is_ours",
            f"{_FAULTS}::test_what_is_in_a_transactions_way_for_a_moment_is_waited_for",
            f"{_FAULTS}::test_a_token_used_for_other_writes_is_an_error_and_no_success",
        ),
    ),
    Gap(
        "a transaction on a row refuses other writes to it",
        "neither does",
        (f"{_STATE}::test_a_transaction_in_the_way_of_one_write_is_waited_for_and_no_lost_race",),
    ),
    Gap(
        "of many writers at once one wins each revision",
        "moto lets several win; the engine alone is asked",
        ("tests/contract/test_store_races.py::test_of_sixteen_claims_one_wins_and_the_others_see_it",),
    ),
    Gap(
        "an index key of another type than declared is refused",
        "moto takes it",
        (
            "tests/house/test_template_stack.py::test_the_keys_have_the_types_that_the_rows_have",
            f"{_TIME}::test_a_row_with_another_writers_time_is_named_and_the_other_nineteen_are_swept",
        ),
    ),
    Gap(
        "a number has 38 digits at most",
        "moto keeps 39",
        (f"{_INPUT}::test_a_big_integer_is_exact_or_refused_and_never_cut",),
    ),
    Gap(
        "an attribute is nested 32 levels deep at most",
        "moto keeps 40",
        ("tests/domain/test_document.py::test_32_levels_are_taken_and_33_are_not",),
    ),
    Gap(
        "an item that an update makes larger than 400 KB is refused",
        "moto keeps it",
        (f"{_INPUT}::test_a_row_with_the_largest_payload_still_moves_after_sixty_loud_failures",),
    ),
    Gap(
        "rows past their time to live go at some later time",
        "moto never removes them, the engine soon",
        (f"{_LIMITS}::test_a_terminal_row_past_its_time_is_neither_live_nor_swept_nor_revived",),
    ),
    Gap(
        "an index lags behind its table",
        "neither does",
        (
            f"{_SWEEP}::test_a_row_that_the_index_lists_and_that_has_moved_on_costs_no_write_and_no_message",
            f"{_SWEEP}::test_a_row_that_the_index_lists_twice_is_one_row",
        ),
    ),
    Gap(
        "DynamoDB throttles, and leaves items of a batch for later",
        "neither does",
        (
            f"{_RUN}::test_throttled_touches_are_tried_within_bounds_and_nothing_untouched_is_sent",
            f"{_FAULTS}::test_a_throttle_beyond_patience_is_named_after_three_tries",
            "tests/contract/test_store_reads.py::test_what_a_batch_leaves_for_later_is_asked_for_again",
        ),
    ),
    Gap(
        "a reply is lost and the SDK repeats the request",
        "both always answer",
        (
            f"{_STATE}::test_a_claim_whose_reply_was_lost_goes_on_to_its_one_call",
            f"{_REPEATS}::test_a_confirmation_whose_reply_was_lost_is_written_once",
        ),
    ),
    Gap(
        "EventBridge Scheduler puts the tick's time into its event",
        "the engine leaves the keyword as it stands",
        (f"{_RUN}::test_a_run_bears_the_name_of_its_tick_if_that_is_one",),
    ),
    Gap(
        "Lambda drops a message whose chain of retries is longer than 16 runs",
        "the engine does not",
        ("tests/house/test_template_stack.py::test_each_parameter_is_described_and_bounded",),
    ),
)
