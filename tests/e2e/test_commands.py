"""What users type, and what comes back: exit codes, streams, output formats, messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Webappctl
from tests.terminal import Seen, on_terminal
from tests.world import World, eventually

ESC = "\x1b"


def _apply_on_terminal(world: World, *arguments: str, answer: str = "", columns: int = 100) -> Seen:
    command = world.webappctl.command("apply", "-n", world.namespace, *arguments)
    return on_terminal(command, env=world.webappctl.env(), answer=answer, columns=columns)


def test_the_story_from_install_to_in_sync(world: World) -> None:
    """Pending is 3, apply is 0, and then nothing is pending."""
    world.declare("web")
    assert world.webappctl("crd", "--install").returncode == 0
    assert world.plan().returncode == 3
    assert world.apply().returncode == 0
    assert world.plan().returncode == 0


def test_a_plain_plan_is_0_whatever_is_in_it(world: World) -> None:
    """Only --exit-code makes pending changes an exit code."""
    world.declare("web")
    assert world.webappctl("plan", "-n", world.namespace).returncode == 0


def test_only_blocked_rows_left_is_5_and_blocked_ok_makes_it_0(world: World) -> None:
    """A Deployment of the same name that nobody owns is left alone, named, and the rest goes on."""
    world.kubectl("create", "deployment", "taken-deployment", "--image=nginx")
    world.declare("taken")
    world.declare("web")
    done = world.apply()
    assert done.returncode == 5
    assert "taken\tblocked" in done.stdout
    assert "web\tcreated" in done.stdout
    assert world.plan().returncode == 5
    assert world.apply("--blocked-ok").returncode == 0
    assert world.deployment("taken")["spec"]["template"]["spec"]["containers"][0]["name"] == "nginx"


def test_without_a_terminal_and_without_yes_apply_refuses(world: World) -> None:
    """Exit 2, one line, and nothing is written."""
    world.declare("web")
    done = world.webappctl("apply", "-n", world.namespace)
    assert done.returncode == 2
    assert done.stderr == "webappctl: there is no terminal to ask on (add --yes)\n"
    assert not world.exists("deployment", "web-deployment")


@pytest.mark.parametrize("answer", ["n", "", "yess"])
def test_any_answer_but_yes_writes_nothing(world: World, answer: str) -> None:
    """No, the end of input and a slip of the finger are a no: exit 1."""
    world.declare("web")
    seen = _apply_on_terminal(world, answer=answer)
    assert seen.returncode == 1
    assert "nothing was written" in seen.text
    assert not world.exists("deployment", "web-deployment")
    assert "status" not in world.webapp("web")


def test_yes_on_a_terminal_applies_the_plan_that_was_shown(world: World) -> None:
    """Context, server, table, question, summary."""
    world.declare("web")
    seen = _apply_on_terminal(world, answer="y")
    assert seen.returncode == 0, seen.text
    for part in (
        "Plan for sandbox-",
        "https://127.0.0.1",
        f"{world.namespace}/web",
        "Apply these changes?",
        "1 created",
    ):
        assert part in seen.text
    assert world.exists("deployment", "web-deployment")


def test_the_last_refusal_stands_beside_what_is_pending(world: World) -> None:
    """What only the API server can refuse stays pending in the plan, which says why it was not done."""
    world.kubectl("create", "quota", "none", "--hard=count/deployments.apps=0")
    world.declare("web")
    eventually(lambda: world.apply().returncode == 5)
    done = world.plan()
    assert done.returncode == 3
    assert "exceeded quota" in done.stdout
    applied = world.apply()
    assert "web\tblocked" in applied.stdout
    assert "make room in the quota" in applied.stdout


def test_names_narrow_the_pass(world: World) -> None:
    """With and without a namespace."""
    world.declare("one")
    world.declare("two")
    assert [line[0] for line in world.lines(world.plan("two"))] == [f"{world.namespace}/two"]
    done = world.webappctl("apply", "--yes", f"{world.namespace}/one")
    assert done.returncode == 0, done.stderr
    assert world.exists("deployment", "one-deployment")
    assert not world.exists("deployment", "two-deployment")


def test_a_selector_narrows_the_pass(world: World) -> None:
    """-l is the API server's own selector on WebApps."""
    world.declare("one")
    world.declare("two")
    world.kubectl("label", "webapp", "two", "team=a")
    assert [line[0] for line in world.lines(world.plan("-l", "team in (a, b)"))] == [f"{world.namespace}/two"]


def test_a_name_that_fits_nothing_is_said_and_nothing_is_done(world: World) -> None:
    """A slip of the finger must not look like a fleet in sync."""
    world.declare("web")
    done = world.apply("wbe", "web")
    assert done.returncode == 1
    assert f"wbe: there is no such WebApp in namespace {world.namespace}" in done.stderr
    assert not world.exists("deployment", "web-deployment")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("plan", "a/b/c"), "'a/b/c' is no WebApp; write NAME or NAMESPACE/NAME"),
        (("plan", "-n", "Shop"), "'Shop' cannot be the name of a namespace"),
        (
            ("plan", "-n", "shop", "blog/x"),
            "blog/x is not in the namespaces given with --namespace or WEBAPPCTL_NAMESPACE (shop)",
        ),
        (("plan", "--timeout", "5"), "'5' is no duration; write it as 30s, 5m or 1h30m"),
        (("apply", "--yes", "--workers", "0"), "--workers"),
        (("plan", "-o", "xml"), "xml"),
        (("sandbox", "up", "--name", "No Good"), "No Good"),
        (("plan", "-l", "a=b=c"), "--selector 'a=b=c' cannot be understood"),
    ],
)
def test_wrong_usage_is_2_and_says_what_to_write(webappctl: Webappctl, arguments: tuple[str, ...], said: str) -> None:
    """Before anything is asked of a cluster."""
    done = webappctl(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr.replace("\n", " ")


def test_no_cluster_is_one_line_with_a_way_out(webappctl: Webappctl, tmp_path: Path) -> None:
    """No kubeconfig, no pod."""
    done = webappctl("plan", env={"KUBECONFIG": str(tmp_path / "none"), "HOME": str(tmp_path)})
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "webappctl sandbox up" in done.stderr


def test_an_unknown_context_is_named_with_those_there_are(webappctl: Webappctl) -> None:
    """So that the next try is right."""
    done = webappctl("plan", "--context", "prod")
    assert done.returncode == 1
    assert "no context prod" in done.stderr
    assert "known: sandbox-" in done.stderr


def test_every_flag_has_an_environment_variable(world: World) -> None:
    """WEBAPPCTL_NAMESPACE and WEBAPPCTL_OUTPUT stand for -n and -o."""
    world.declare("web")
    done = world.webappctl("plan", env={"WEBAPPCTL_NAMESPACE": world.namespace, "WEBAPPCTL_OUTPUT": "json"})
    assert [change["name"] for change in json.loads(done.stdout)["changes"]] == ["web"]


def test_two_deployments_are_repaired_while_one_webapp_is_being_deleted(world: World) -> None:
    """A WebApp held by a finalizer makes no row, and gets no write."""
    for name in ("going", "staying"):
        world.declare(name)
    world.converge()
    world.kubectl("patch", "webapp", "going", "--type=merge", "-p", '{"metadata":{"finalizers":["example.com/hold"]}}')
    world.kubectl("delete", "webapp", "going", "--wait=false")
    world.kubectl("scale", "deployment", "going-deployment", "staying-deployment", "--replicas=7")
    before = world.webapp("going")["metadata"]["resourceVersion"]
    assert world.plan("going").returncode == 0, "it is known, and makes no row"
    world.converge()
    assert world.deployment("going")["spec"]["replicas"] == 7
    assert world.deployment("staying")["spec"]["replicas"] == 2
    assert world.webapp("going")["metadata"]["resourceVersion"] == before
    world.kubectl("patch", "webapp", "going", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')


def test_a_webapp_created_again_at_once_converges(world: World) -> None:
    """The old Deployment waits for the garbage collector; the new one belongs to the new WebApp."""
    world.declare("web")
    world.converge()
    world.kubectl("delete", "webapp", "web")
    world.declare("web")

    def converged() -> bool:
        done = world.apply()
        return done.returncode == 0

    eventually(converged, seconds=90, every=0.5)
    (owner,) = world.deployment("web")["metadata"]["ownerReferences"]
    assert owner["uid"] == world.webapp("web")["metadata"]["uid"]
