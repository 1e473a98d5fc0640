"""An application built on requests-oauthlib, driven by a test: a JSON array [step, arguments] a line in, one JSON object a line out.

It knows a session and the addresses that the service's metadata names; whatever the library raises is answered as
{"error": {"type", "code", "text"}}, anything else as {"value"}.
"""
import json
import os
import sys

# The library demands https of every address unless an environment variable declares a developer's machine.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

from oauthlib.oauth2 import (  # noqa: E402
    BackendApplicationClient,
    LegacyApplicationClient,
    MobileApplicationClient,
    WebApplicationClient,
)
from requests.auth import HTTPBasicAuth  # noqa: E402
from requests_oauthlib import OAuth2Session  # noqa: E402

CLIENTS = {
    "code": WebApplicationClient,
    "implicit": MobileApplicationClient,
    "password": LegacyApplicationClient,
    "client_credentials": BackendApplicationClient,
}


class Application:
    def begin(self, flow, origin, id, secret, redirect_uri=None):
        """A session of its own: nothing of an earlier one is left."""
        self.id, self.secret = id, secret
        self.saved = None
        self.session = OAuth2Session(client=CLIENTS[flow](id), redirect_uri=redirect_uri, scope=["PRODUCTION"])
        self.session.trust_env = False
        self.metadata = self.session.get(
            origin + "/.well-known/oauth-authorization-server", withhold_token=True
        ).json()

    def authorization_url(self, pkce=False):
        """Where the person is sent to."""
        more = {}
        if pkce:
            self.verifier = self.session._client.create_code_verifier(64)
            challenge = self.session._client.create_code_challenge(self.verifier, "S256")
            more = {"code_challenge": challenge, "code_challenge_method": "S256"}
        url, state = self.session.authorization_url(self.metadata["authorization_endpoint"], **more)
        return {"url": url, "state": state}

    def fetch_token(self, in_body=False, pkce=False, **given):
        if pkce:
            given.setdefault("code_verifier", self.verifier)
        return self.session.fetch_token(
            self.metadata["token_endpoint"],
            client_secret=self.secret,
            include_client_id=True if in_body else None,
            **given
        )

    def replay(self, authorization_response):
        """The same code once more; the session holds on to its tokens, which a failed fetch would make it forget."""
        held = self.session.token
        try:
            return self.fetch_token(authorization_response=authorization_response, pkce=True)
        finally:
            self.session.token = held

    def redeem_elsewhere(self, authorization_response, redirect_uri):
        self.session.redirect_uri = redirect_uri
        return self.fetch_token(authorization_response=authorization_response, pkce=True)

    def token_from_fragment(self, url):
        return self.session.token_from_fragment(url)

    def refresh_token(self):
        return self.session.refresh_token(
            self.metadata["token_endpoint"], auth=HTTPBasicAuth(self.id, self.secret)
        )

    def renew_by_itself(self, url):
        """A request with a token that looks expired: the library refreshes it on the way and hands over the new one."""
        kept = []
        session = OAuth2Session(
            self.id,
            token={**self.session.token, "expires_in": -1, "expires_at": 1},
            auto_refresh_url=self.metadata["token_endpoint"],
            auto_refresh_kwargs={},
            token_updater=kept.append,
        )
        session.trust_env = False
        answer = session.get(url, client_id=self.id, client_secret=self.secret)
        return {"status": answer.status_code, "body": answer.json(), "renewed": len(kept)}

    def get(self, url):
        answer = self.session.get(url)
        return {"status": answer.status_code, "body": answer.json()}

    def revoke(self, kind):
        url, headers, body = self.session._client.prepare_token_revocation_request(
            self.metadata["revocation_endpoint"], self.session.token[kind], token_type_hint=kind
        )
        return self.as_client(url, body, headers)

    def introspect(self):
        body = "token=" + self.session.token["access_token"]
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.as_client(self.metadata["introspection_endpoint"], body, headers)

    def as_client(self, url, body, headers):
        auth = HTTPBasicAuth(self.id, self.secret)
        answer = self.session.post(url, data=body, headers=headers, auth=auth, withhold_token=True)
        return {"status": answer.status_code, "body": answer.json() if answer.content else None}


application = Application()
for line in sys.stdin:
    step, arguments = json.loads(line)
    try:
        answer = {"value": getattr(application, step)(**arguments)}
    except Exception as error:
        code = getattr(error, "error", None)
        answer = {"error": {"type": type(error).__name__, "code": code, "text": str(error)}}
    print(json.dumps(answer), flush=True)
