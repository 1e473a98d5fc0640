# actorctl exec --project examples/weather -- python3 -m pytest examples/weather/tests
import json
import subprocess


def actorctl(*args):
    return subprocess.run(["actorctl", *args], capture_output=True, text=True)


def test_counts_a_reading():
    run = actorctl("run", "weather-intake", "-m", '{"temperature": 21}', "--settle")
    assert run.returncode == 0, run.stderr
    assert json.loads(actorctl("state", "get", "weather-count").stdout)["seen"] >= 1


def test_refuses_anything_else():
    run = actorctl("run", "weather-intake", "-m", "rain")
    assert run.returncode == 11
    assert "no reading" in run.stderr + run.stdout
