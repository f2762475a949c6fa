"""The sandbox's own certificate authority, and the kubeconfigs made of its certificates.

The authority's key is never written: nobody, we included, can issue another certificate for a sandbox later.
"""

from __future__ import annotations

import base64
import datetime as dt
import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from webappctl.sandbox.state import write_private

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

SERVICE_ADDRESS = "10.96.0.1"  # of the Service `kubernetes`: the first of the range in components.py
SERVICE_ACCOUNT_KEY = "service-account.key"
OURS = "webappctl:sandbox"  # the sandbox's own requests, which the audit log leaves out

_YEARS = 10
_SKEW = dt.timedelta(days=1)  # a clock that is set back must not make the certificates look unborn
_SERVICE = ("kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local")
_NAMES = ("localhost", *_SERVICE)
_ADDRESSES = ("127.0.0.1", SERVICE_ADDRESS)


@dataclass(frozen=True)
class Identity:
    """Who a client certificate speaks for: RBAC's user and groups."""

    file: str
    user: str
    groups: tuple[str, ...] = ()


IDENTITIES = (
    Identity("admin", "sandbox-admin", ("system:masters",)),
    Identity("sandbox", OURS, ("system:masters",)),
    Identity("kube-controller-manager", "system:kube-controller-manager"),
    Identity("kube-scheduler", "system:kube-scheduler"),
    Identity("kwok", "system:kwok", ("system:masters",)),  # patches every node's and pod's status, unthrottled
    Identity("kube-apiserver-etcd-client", "kube-apiserver-etcd-client"),
)


class _Authority:
    def __init__(self) -> None:
        self._key = _new_key()
        self._name = _name("webappctl-sandbox-ca")
        self.certificate = _sign(self._describe(self._name, self._key), self._key, self._key, authority=True)

    def issue(self, user: str, groups: Iterable[str] = (), *, server: bool) -> tuple[bytes, bytes]:
        """A certificate and its key as PEM. A server's is good for clients too: etcd calls itself with it."""
        from cryptography import x509

        key = _new_key()
        builder = self._describe(_name(user, groups), key)
        if server:
            names = [x509.DNSName(n) for n in _NAMES]
            addresses = [x509.IPAddress(ipaddress.ip_address(a)) for a in _ADDRESSES]
            builder = builder.add_extension(x509.SubjectAlternativeName([*names, *addresses]), critical=False)
        return _pem(_sign(builder, key, self._key, authority=False)), _pem_key(key)

    def _describe(self, subject: x509.Name, key: EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        from cryptography import x509

        now = dt.datetime.now(dt.UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - _SKEW)
            .not_valid_after(now + dt.timedelta(days=365 * _YEARS))
        )


def create(folder: Path) -> None:
    """`ca.crt`, a pair for each server and each identity, the service accounts' key. Mode 0600, the folder 0700."""
    folder.mkdir(mode=0o700, exist_ok=True)
    authority = _Authority()
    pairs = {name: authority.issue(name, server=True) for name in ("etcd", "kube-apiserver")}
    pairs |= {i.file: authority.issue(i.user, i.groups, server=False) for i in IDENTITIES}
    for name, (certificate, key) in pairs.items():
        write_private(folder / f"{name}.crt", certificate)
        write_private(folder / f"{name}.key", key)
    write_private(folder / SERVICE_ACCOUNT_KEY, _pem_key(_new_key()))
    write_private(folder / "ca.crt", _pem(authority.certificate))  # last: its presence says that all are there


def write_kubeconfig(path: Path, folder: Path, identity: str, *, server: str, context: str) -> None:
    """Everything is embedded, so the file can be copied or merged."""
    import yaml

    def embedded(name: str) -> str:
        return base64.b64encode((folder / name).read_bytes()).decode()

    user = {"client-certificate-data": embedded(f"{identity}.crt"), "client-key-data": embedded(f"{identity}.key")}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {"name": context, "cluster": {"server": server, "certificate-authority-data": embedded("ca.crt")}}
        ],
        "users": [{"name": context, "user": user}],
        "contexts": [{"name": context, "context": {"cluster": context, "user": context, "namespace": "default"}}],
        "current-context": context,
    }
    write_private(path, yaml.safe_dump(config, sort_keys=False).encode())


def _new_key() -> EllipticCurvePrivateKey:
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.generate_private_key(ec.SECP256R1())


def _name(user: str, groups: Iterable[str] = ()) -> x509.Name:
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    organizations = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
    return x509.Name([*organizations, x509.NameAttribute(NameOID.COMMON_NAME, user)])


def _sign(
    builder: x509.CertificateBuilder, key: EllipticCurvePrivateKey, signer: EllipticCurvePrivateKey, *, authority: bool
) -> x509.Certificate:
    """With the extensions that strict verifiers (Python 3.13) ask for."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.x509.oid import ExtendedKeyUsageOID as Use

    if not authority:
        purposes = x509.ExtendedKeyUsage([Use.SERVER_AUTH, Use.CLIENT_AUTH])
        builder = builder.add_extension(purposes, critical=False)
    subject_id = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    issuer_id = x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key())
    return (
        builder.add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        .add_extension(_usage(authority=authority), critical=True)
        .add_extension(subject_id, critical=False)
        .add_extension(issuer_id, critical=False)
        .sign(signer, hashes.SHA256())
    )


def _usage(*, authority: bool) -> x509.KeyUsage:
    from cryptography import x509

    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=authority,
        crl_sign=authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _pem(certificate: x509.Certificate) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding

    return certificate.public_bytes(Encoding.PEM)


def _pem_key(key: EllipticCurvePrivateKey) -> bytes:
    """In the old form: of a PKCS #8 file the API server reads no public key for service accounts."""
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    return key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
