"""Which cluster: kubeconfig files and lists, contexts, and the pod's own."""

from __future__ import annotations

import json
import os
import pwd
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.unit.cluster_fakes import TOKEN, kubeconfig
from webappctl.cluster.kubeconfig import KubeContext, find_context
from webappctl.errors import ConfigError

POD = {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory without a kubeconfig."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home" / ".kube").mkdir(parents=True)
    return tmp_path / "home"


def write(path: Path, **content: Any) -> str:
    path.write_text(json.dumps(content))
    return str(path)


def listed(*paths: str) -> dict[str, str]:
    return {"KUBECONFIG": os.pathsep.join(paths)}


def test_the_first_current_context_of_a_list_wins(tmp_path: Path) -> None:
    """As with kubectl."""
    first = kubeconfig(tmp_path / "a", "https://a", context="one")
    second = kubeconfig(tmp_path / "b", "https://b", context="two")
    assert find_context(None, None, listed(first, second)).name == "one"
    assert find_context(None, None, listed(second, first)).name == "two"


def test_of_two_things_with_the_same_name_the_first_counts(tmp_path: Path) -> None:
    """Both files call their cluster `c`."""
    first = kubeconfig(tmp_path / "a", "https://a", context="one")
    second = kubeconfig(tmp_path / "b", "https://b", context="two")
    assert find_context(None, "two", listed(first, second)).server == "https://a"


def test_missing_and_empty_files_of_a_list_are_passed_over(tmp_path: Path) -> None:
    """And so are empty names."""
    (tmp_path / "empty").touch()
    (tmp_path / "comment").write_text("# nothing\n")
    file = kubeconfig(tmp_path / "a", "https://a")
    environ = listed(str(tmp_path / "none"), str(tmp_path / "empty"), "", str(tmp_path / "comment"), file)
    assert find_context(None, None, environ).server == "https://a"


@pytest.mark.parametrize("environ", [{}, {"KUBECONFIG": ""}])
def test_without_a_list_the_file_in_the_home_directory_counts(home: Path, environ: dict[str, str]) -> None:
    """An empty KUBECONFIG is none."""
    kubeconfig(home / ".kube" / "config", "https://home")
    assert find_context(None, None, environ).server == "https://home"


def test_the_option_wins_over_the_environment(tmp_path: Path) -> None:
    """And over the pod's own credentials."""
    chosen = kubeconfig(tmp_path / "a", "https://a")
    environ = listed(kubeconfig(tmp_path / "b", "https://b")) | POD
    assert find_context(chosen, None, environ).server == "https://a"


def test_paths_count_from_their_own_file(tmp_path: Path) -> None:
    """Whichever directory we are in; a plugin without a slash is looked for in PATH."""
    (tmp_path / "sub").mkdir()
    file = kubeconfig(tmp_path / "sub" / "a", "https://a", tokenFile="token", exec={"command": "./login"})
    user = find_context(file, None, {}).user
    assert user["tokenFile"] == str(tmp_path / "sub" / "token")
    assert user["exec"]["command"] == str(tmp_path / "sub" / "login")
    plain = kubeconfig(tmp_path / "b", "https://b", exec={"command": "login"})
    assert find_context(plain, None, {}).user["exec"]["command"] == "login"


def test_a_server_is_shown_without_the_credentials_in_its_url(tmp_path: Path) -> None:
    """They are not sent either."""
    assert (
        find_context(kubeconfig(tmp_path / "a", f"https://me:{TOKEN}@a:6443/x/"), None, {}).server == "https://a:6443/x"
    )


def refusal(file: str | None, context: str | None = None, environ: dict[str, str] | None = None) -> str:
    with pytest.raises(ConfigError) as caught:
        find_context(file, context, environ or {})
    assert "\n" not in str(caught.value)
    assert TOKEN not in str(caught.value)
    return str(caught.value)


def test_an_unknown_context_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    """And with the file that was looked into."""
    file = kubeconfig(tmp_path / "a", "https://a", token=TOKEN)
    assert refusal(file, "prod") == f"no context prod in {file} (known: here)"


def test_a_file_given_by_hand_must_exist(tmp_path: Path) -> None:
    """Unlike one in a list."""
    assert refusal(str(tmp_path / "none")).startswith(f"the kubeconfig {tmp_path / 'none'} does not exist (set --kube")


def test_nothing_configured_names_the_ways_out() -> None:
    """Among them a cluster on this machine."""
    assert "webappctl sandbox up" in refusal(None)
    assert "no context prod" in refusal(None, "prod")


@pytest.mark.parametrize(
    "text",
    [
        f"users: [{TOKEN}",
        f"- {TOKEN}",
        f"users: {{a: {TOKEN}}}",
        f"users: [{TOKEN}]\n",
        f"users: [{{name: u, user: {TOKEN}}}]",
        f"\x00{TOKEN}",
        f"a: !!python/object/apply:os.system ['{TOKEN}']",
    ],
)
def test_a_file_that_is_no_kubeconfig_is_named_and_not_quoted(tmp_path: Path, text: str) -> None:
    """It may hold a token."""
    (tmp_path / "odd").write_text(text)
    assert f"the kubeconfig {tmp_path / 'odd'}" in refusal(str(tmp_path / "odd"))


@pytest.mark.parametrize("server", ["", "10.0.0.1:6443", "ftp://a", "https://", "https://a:port", "https://[a"])
def test_a_server_must_be_a_url(tmp_path: Path, server: str) -> None:
    """The cluster and the file are named."""
    assert "the server of cluster c in" in refusal(kubeconfig(tmp_path / "a", server))


@pytest.mark.parametrize("broken", [{"clusters": []}, {"users": []}, {"current-context": ""}, {"contexts": None}])
def test_a_context_that_leads_nowhere_is_said(tmp_path: Path, broken: dict[str, Any]) -> None:
    """Never a request without the credentials that the context names."""
    content = json.loads(Path(kubeconfig(tmp_path / "a", "https://a")).read_text())
    assert str(tmp_path / "b") in refusal(write(tmp_path / "b", **{**content, **broken}))


def in_pod(directory: Path) -> KubeContext:
    return find_context(None, None, POD | {"WEBAPPCTL_SERVICE_ACCOUNT_DIR": str(directory)})


def test_a_pod_without_a_kubeconfig_uses_its_service_account(tmp_path: Path) -> None:
    """Its token is a file, which is read again and again."""
    context = in_pod(tmp_path)
    assert (context.name, context.server) == ("in-cluster", "https://10.0.0.1:443")
    assert context.user == {"tokenFile": str(tmp_path / "token")}


def test_a_pod_with_ipv6_has_brackets() -> None:
    """The environment holds the bare address."""
    assert find_context(None, None, POD | {"KUBERNETES_SERVICE_HOST": "fd00::1"}).server == "https://[fd00::1]:443"


def test_a_pod_with_a_kubeconfig_uses_that(tmp_path: Path) -> None:
    """But an empty one is none."""
    (tmp_path / "empty").touch()
    assert find_context(None, None, POD | listed(str(tmp_path / "empty"))).in_pod
    assert not find_context(None, None, POD | listed(kubeconfig(tmp_path / "a", "https://a"))).in_pod


@pytest.fixture
def homeless(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a pod with a user id that is in no /etc/passwd, and without HOME."""

    def unknown(uid: int) -> NoReturn:
        raise KeyError(uid)

    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", unknown)


@pytest.mark.usefixtures("homeless")
def test_without_a_home_directory_a_pod_finds_its_service_account(tmp_path: Path) -> None:
    """There is no kubeconfig in a directory that nobody knows."""
    assert in_pod(tmp_path).in_pod


@pytest.mark.usefixtures("homeless")
def test_without_a_home_directory_nothing_is_configured() -> None:
    """Which is said, and not a traceback."""
    assert "no kubeconfig in ~/.kube/config" in refusal(None)
    assert "the kubeconfig ~/x does not exist" in refusal("~/x")
