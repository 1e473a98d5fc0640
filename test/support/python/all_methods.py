# Calls every method of agavepy's actors, clients and profiles, and prints which of them failed, as JSON.
import json
import os
import sys

from agavepy.agave import Agave

username, password, image = sys.argv[1:]
ag = Agave(
    api_server="https://localhost",
    username=username,
    password=password,
    verify=os.environ["REQUESTS_CA_BUNDLE"],
)
outcome = {}


def call(resource, method, **given):
    try:
        result = getattr(getattr(ag, resource), method)(**given)
        outcome[f"{resource}.{method}"] = "ok"
        return result
    except Exception as error:
        outcome[f"{resource}.{method}"] = f"{type(error).__name__}: {error}"


call("clients", "list")
call("clients", "create", body={"clientName": "one", "description": "of a test"})
call("clients", "getClientByName", clientName="one")
call("clients", "listSubscriptionsForClient", clientName="one")
call("clients", "addSubscriptionForClient", clientName="one", body={"apiName": "*"})
call("clients", "deleteSubscriptionsForClient", clientName="one")
ag.token.refresh()
outcome["token.refresh"] = "ok"

call("profiles", "get")
call("profiles", "list")
call("profiles", "create", body={"username": "newby", "email": "n@example.org"})
call("profiles", "listByUsername", username="newby")
call("profiles", "update", username="newby", body={"username": "newby", "email": "m@example.org"})
call("profiles", "delete", username="newby")

made = call("actors", "add", body={"image": image, "name": "one", "stateless": False})
one = {"actorId": made["id"]}
call("actors", "list")
call("actors", "get", **one)
call("actors", "update", body={"image": image, "stateless": False}, **one)
sent = call("actors", "sendMessage", body={"message": {"a": True}}, **one)
call("actors", "sendBinaryMessage", message=b"\x00\x01", **one)
call("actors", "getMessages", **one)
call("actors", "updateState", body={"n": 1}, **one)
outcome["state"] = call("actors", "getState", **one)
call("actors", "getPermissions", **one)
call("actors", "updatePermissions", body={"user": username, "level": "UPDATE"}, **one)
call("actors", "addWorker", body={"num": 2}, **one)
workers = call("actors", "listWorkers", **one)
call("actors", "getWorker", workerId=workers[0]["id"], **one)
call("actors", "deleteWorker", workerId=workers[-1]["id"], **one)
nonce = call("actors", "addNonce", **one)
listed = call("actors", "listNonces", **one)
outcome["nonce"] = listed[0]["id"] == nonce["id"]
call("actors", "getNonce", nonceId=nonce["id"], **one)
call("actors", "deleteNonce", nonceId=nonce["id"], **one)
call("actors", "addAlias", body={"alias": "al", **one})
call("actors", "listAliases")
call("actors", "getAlias", alias="al")
call("actors", "deleteAlias", alias="al")
call("actors", "getSearch", search_type="actors")
call("actors", "listExecutions", **one)
execution = {"executionId": sent["executionId"], **one}
call("actors", "getExecution", **execution)
call("actors", "getOneExecutionResult", **execution)
call("actors", "getExecutionLogs", **execution)
call("actors", "deleteMessages", **one)
call("actors", "delete", **one)
call("clients", "delete", clientName="one")
print(json.dumps(outcome))
