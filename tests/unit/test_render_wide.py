"""Plan → the wide table, with who, when and everything else."""

from __future__ import annotations

import pytest

from tests.builders import EARLIER, deployment, webapp
from tests.rendered import NOW, column, lines_of, squeezed
from webappctl.core.diff import Cause, FieldChange
from webappctl.core.plan import Action, Answer, Change, Effect, Hold, Obstacle, Plan, Verdict
from webappctl.core.takeover import Takeover
from webappctl.render import plan_wide_table


def columns(*changes: Change, width: int = 250) -> list[str]:
    """The text of each column: WebApp, Field, Actual, Desired, Cause, Manager, When, Effect, Note."""
    lines = lines_of(plan_wide_table(Plan(changes), width, NOW), width)
    return [column(lines, number) for number in range(1, 10)]


def test_a_field_has_its_manager_and_the_time_of_his_write() -> None:
    """As RFC 3339, and as an age."""
    field = FieldChange("image", "old", "new", Cause.LIVE_DRIFT, "kubectl-edit", EARLIER)
    change = Change(webapp(), deployment(), Action.UPDATE, fields=(field,), effect=Effect(restarts=3))
    expected = ["shop/web", "image", "old", "new", "livedrift", "kubectl-edit", f"{EARLIER}(3minago)", "restarts3pods"]
    assert columns(change)[:8] == expected


@pytest.mark.parametrize(
    ("manager", "time", "said"), [("", None, ""), ("kubectl", None, "unknown"), ("x", "yesterday", "yesterday")]
)
def test_a_time_that_nobody_knows_is_said_to_be_unknown(manager: str, time: str | None, said: str) -> None:
    """And where there is no manager, there is no time to know."""
    field = FieldChange("image", "old", "new", Cause.LIVE_DRIFT, manager, time)
    assert columns(Change(webapp(), deployment(), Action.UPDATE, fields=(field,)))[6] == said


def test_the_note_has_all_that_is_beside_a_change() -> None:
    """What stays, what is taken over, what a dry run said; once, however many fields there are."""
    port = FieldChange("port", None, 80, Cause.ADOPT, stays="81 of x")
    takeover, verdict = Takeover(("helm",), ("port 9090",)), Verdict(Answer.ALTERED, "would change image to x")
    change = Change(webapp(), deployment(), Action.ADOPT, fields=(port, port), takeover=takeover, verdict=verdict)
    said = "81 of x stays; taken over from helm; port 9090 falls away; dry run: would change image to x"
    assert columns(change)[8] == squeezed(f"{said} 81 of x stays")


def test_the_note_of_a_blocked_row_is_its_message_and_its_remedy() -> None:
    """It has nothing in the columns of fields."""
    change = Change(
        webapp(), None, Action.BLOCKED, obstacle=Obstacle.FOREIGN_OWNER, message="owned", remedy="rename it"
    )
    assert columns(change) == ["shop/web", "", "", "", "foreignowner", "", "", "none", "owned(renameit)"]


def test_the_note_of_held_replicas_is_who_holds_them() -> None:
    """With what is there, and what the WebApp says."""
    held = columns(Change(webapp(), deployment(), Action.HELD, held=Hold(7, 3, "web", 2, 9)))
    assert held[1:5] == ["replicas", "7", "3", "autoscaler"]
    assert held[7:] == ["none", "HPAwebholds2\N{EN DASH}9"]


def test_a_deletion_says_what_there_is_and_why_it_goes() -> None:
    """Under the Deployment's own name."""
    found = columns(Change(None, deployment(), Action.DELETE, effect=Effect(stops=3), message="left behind"))
    assert (found[0], found[2], found[7]) == ("shop/web-deployment", "3replicasofnginx:1.25", "stops3pods")
    assert (found[4], found[8]) == ("orphan", "leftbehind")


@pytest.mark.parametrize("width", [140, 180, 250])
def test_a_wide_table_cuts_nothing(width: int) -> None:
    """It folds, and no line is wider than the terminal."""
    image = "registry.example/" + "path/" * 20 + "app:1"
    field = FieldChange("image", image, image, Cause.LIVE_DRIFT, "m" * 60, EARLIER, "s" * 60)
    change = Change(webapp("n" * 52), deployment(), Action.UPDATE, fields=(field,))
    lines = lines_of(plan_wide_table(Plan((change,)), width, NOW), width)
    assert max(map(len, lines)) <= width
    found = [column(lines, number) for number in (1, 3, 4, 6, 9)]
    assert found == ["shop/" + "n" * 52, image, image, "m" * 60, "s" * 60 + "stays"]


@pytest.mark.parametrize("width", [50, 80, 100])
def test_a_wide_table_on_a_narrow_terminal_is_no_wider(width: int) -> None:
    """Hard to read, but whole: the letters of a name are all there."""
    lines = lines_of(
        plan_wide_table(Plan((Change(webapp("qqqqqqqqqqqqqqqqqqqq"), None, Action.CREATE),)), width, NOW), width
    )
    assert max(map(len, lines)) <= width
    assert "".join(lines).count("q") == 20


def test_unchanged_rows_are_not_in_the_wide_table() -> None:
    """A plan without anything else has none."""
    assert plan_wide_table(Plan((Change(webapp(), deployment(), Action.NONE),)), 200, NOW) is None


def test_a_wide_table_ends_somewhere_and_says_so() -> None:
    """As the other does."""
    changes = tuple(Change(webapp(f"w{n:03}"), None, Action.CREATE) for n in range(234))
    assert columns(*changes)[8] == squeezed("and 34 more rows (-o json shows all)")
