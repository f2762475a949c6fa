"""Images whose text a terminal or a renderer would obey: shown as they are, or escaped, in every format and message."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator

import pytest

from tests.conftest import Kubectl, Webappctl
from tests.e2e.conftest import Start
from tests.manifests import webapp
from tests.policies import deny
from tests.rendered import obeyed
from tests.terminal import on_terminal
from tests.world import World, eventually, until_passes
from webappctl.cli.options import Output

pytestmark = pytest.mark.xdist_group("hostile")

FORMATS = [output.value for output in Output]
PLAIN = {"markup": "img[red]:v1", "closing": "img[/b]:v1", "emoji": "nginx:tada:v1", "link": "img[link=x]y[/link]"}
CONTROL = {
    "esc": "img\x1b[31mred",
    "osc-8": "img\x1b]8;;http://evil.example\x1b\\a\x1b]8;;\x1b\\",
    "osc-52": "img\x1b]52;c;ZXZpbA==\x07",
    "bidi": "img\u202egnp\u2066a",
    "hidden": "img\u200b\ufeff\U000e0041",
}
C1 = {"c1": "img\x9b31mred\x90", "del": "img\x7f"}
IMAGES = PLAIN | CONTROL | C1


@pytest.fixture(scope="module")
def hostile(kubectl: Kubectl, webappctl: Webappctl) -> Iterator[World]:
    """Each image twice: to be taken, and to be refused by a policy that quotes it."""
    world = World(f"t-{uuid.uuid4().hex[:10]}", kubectl, webappctl)
    kubectl("create", "namespace", world.namespace)
    quoting = "'not this: ' + object.spec.template.spec.containers[0].image"
    denial = {"expression": "!object.metadata.name.startsWith('refused')", "messageExpression": quoting}
    deny(kubectl, world.namespace, "CREATE", "deployments.apps", **denial)
    probe = ("create", "deployment", "refused", "--image=nginx", "--dry-run=server")
    eventually(lambda: world.kubectl(*probe, check=False).returncode != 0)
    pairs = [(f"{kind}-{key}", image) for key, image in IMAGES.items() for kind in ("taken", "refused")]
    items = [webapp(name, world.namespace, {"image": image, "port": 80, "replicas": 1}) for name, image in pairs]
    world.kubectl("create", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    yield world
    kubectl("delete", "namespace", world.namespace, "--wait=false")


def _seen_off_a_terminal(text: str) -> set[str]:
    return obeyed(text.replace("\n", "").replace("\t", ""))


def _seen_on_a_terminal(text: str) -> set[str]:
    """But for our own colours."""
    return _seen_off_a_terminal(re.sub(r"\x1b\[[0-9;]*m", "", text).replace("\r", ""))


@pytest.mark.parametrize("command", [("plan",), ("apply", "--yes")])
@pytest.mark.parametrize("output", FORMATS)
def test_no_format_holds_what_a_terminal_obeys(hostile: World, command: tuple[str, ...], output: str) -> None:
    """Neither on stdout nor on stderr; refusals that quote the image among it."""
    done = hostile.webappctl(*command, "-n", hostile.namespace, "-o", output)
    assert done.returncode in (0, 5), done.stderr
    assert "Traceback" not in done.stderr
    assert _seen_off_a_terminal(done.stdout) == _seen_off_a_terminal(done.stderr) == set()


@pytest.mark.parametrize("command", [("plan",), ("apply", "--yes")])
@pytest.mark.parametrize("columns", [120, 40])
def test_no_terminal_gets_what_it_would_obey(hostile: World, command: tuple[str, ...], columns: int) -> None:
    """In a table, and in the lines of a narrow one."""
    line = hostile.webappctl.command(*command, "-n", hostile.namespace)
    seen = on_terminal(line, env=hostile.webappctl.env(), columns=columns)
    assert seen.returncode in (0, 5), seen.text
    assert "Traceback" not in seen.text
    assert _seen_on_a_terminal(seen.text) == set()


def test_no_log_line_holds_what_a_terminal_obeys(hostile: World, start: Start) -> None:
    """Of watch, which says of each that is refused why."""
    watch = start("watch", "-n", hostile.namespace, "--interval", "100ms")
    until_passes(watch, 1)
    watch.terminate()
    out, talk = watch.communicate(timeout=20)
    assert _seen_off_a_terminal(out + talk) == set()


@pytest.mark.parametrize("key", PLAIN)
def test_what_looks_like_markup_is_shown_as_it_is(hostile: World, key: str) -> None:
    """In a line and in the refusal, where no renderer has taken it for a style or an emoji."""
    hostile.webappctl("apply", "--yes", "-n", hostile.namespace)
    planned = hostile.plan(f"refused-{key}").stdout
    assert f"1 replica of {IMAGES[key]}, port 80" in planned
    assert f"not this: {IMAGES[key]}" in planned


def test_json_loses_nothing_of_an_image(hostile: World) -> None:
    """What was declared is read back, letter by letter."""
    found = json.loads(hostile.plan("-o", "json").stdout)["changes"]
    wanted = {change["name"]: change["desired"]["image"] for change in found}
    assert wanted == {f"{kind}-{key}": image for key, image in IMAGES.items() for kind in ("taken", "refused")}


@pytest.mark.parametrize("key", IMAGES)
def test_an_image_that_the_api_server_takes_is_applied_whatever_is_in_it(hostile: World, key: str) -> None:
    """Odd as it is, it is not ours to garble, nor to choke on."""
    hostile.webappctl("apply", "--yes", "-n", hostile.namespace, f"taken-{key}")
    assert hostile.exists("deployment", f"taken-{key}-deployment")
    (app,) = hostile.deployment(f"taken-{key}")["spec"]["template"]["spec"]["containers"]
    assert app["image"] == IMAGES[key]


@pytest.mark.parametrize("arguments", [("plan", "x\x1b[31m"), ("plan", "-n", "x\u202e"), ("plan", "-o", "x\x9b31m")])
def test_a_wrong_argument_is_quoted_and_not_obeyed(webappctl: Webappctl, arguments: tuple[str, ...]) -> None:
    """Pasted from who knows where."""
    done = webappctl(*arguments)
    assert done.returncode == 2
    assert _seen_off_a_terminal(done.stderr) == set()
