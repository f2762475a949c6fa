"""Documents of any plan: they fit the schema, and what is read back is the plan."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import timedelta

import msgspec
from hypothesis import given
from rich.console import Console

from tests import rendered
from tests.documents import TARGET, misfits
from tests.double import World
from tests.double.world import ALL, NOW
from tests.property.worlds import few, worlds
from webappctl import render
from webappctl.core.document import PlanDocument, plan_of
from webappctl.core.plan import Plan, Policy
from webappctl.planfile import SavedPlan, load, save, stale, to_carry_out


def _shown(made: Plan) -> Iterator[str]:
    """In every format."""
    for document in (render.plan_json, render.plan_yaml, render.plan_markdown):
        yield document(made, TARGET)
    yield from (*render.plan_lines(made), *render.plan_wide_lines(made), *render.plan_warnings(made))
    yield render.plan_summary(made)
    stream = io.StringIO()
    console = Console(file=stream, width=110, markup=False, emoji=False, highlight=False, _environ={})
    console.print(render.plan_table(made, 110, rendered.NOW), render.plan_wide_table(made, 110, rendered.NOW))
    yield stream.getvalue()


def _saved(made: Plan, policy: Policy) -> SavedPlan:
    later = NOW + timedelta(hours=1)
    return load(save(made, context="c", server="s", scope=ALL, policy=policy, created=NOW, expires=later))


@few
@given(worlds())
def test_a_plan_that_is_read_back_looks_the_same_in_every_format(world: World) -> None:
    """To the byte."""
    made = world.plan()
    read = plan_of(msgspec.json.decode(render.plan_json(made, TARGET), type=PlanDocument))
    assert list(_shown(read)) == list(_shown(made))


@few
@given(worlds())
def test_a_row_that_is_read_back_does_the_same(world: World) -> None:
    """Both ways."""
    made = world.plan()
    read = plan_of(msgspec.json.decode(render.plan_json(made, TARGET), type=PlanDocument))
    for before, after in zip(made.changes, read.changes, strict=True):
        assert after.does_the_same_as(before)
        assert before.does_the_same_as(after)


@few
@given(worlds())
def test_every_document_fits_the_schema(world: World) -> None:
    """Of the plan, saved or not, and of its report."""
    made = world.plan()
    times = {"created": NOW, "expires": NOW}
    assert misfits(render.plan_json(made, TARGET)) == []
    assert misfits(save(made, context="c", server="s", scope=ALL, policy=world.policy, **times)) == []
    assert misfits(render.report_json(world.carry_out(made), TARGET)) == []


@few
@given(worlds())
def test_a_saved_plan_is_not_stale_while_nothing_moves(world: World) -> None:
    """And what it carries out is what is pending, as it is now."""
    made = world.plan()
    fresh = world.plan()
    saved = _saved(made, world.policy)
    assert stale(saved, fresh, NOW) == ()
    assert to_carry_out(saved, fresh).changes == fresh.pending


@few
@given(worlds())
def test_a_saved_plan_is_stale_once_it_was_carried_out(world: World) -> None:
    """Each of its rows that was done says so."""
    made = world.plan()
    world.carry_out(made)
    reasons = stale(_saved(made, world.policy), world.plan(), NOW)
    assert {change.title for change in made.pending} == {reason.partition(": ")[0] for reason in reasons}
