"""The calls of the README's example, on the standard library, for machines that have no `requests`."""

import json as json_module
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen


class Response:
    def __init__(self, status_code, body):
        self.status_code = status_code
        self._body = body

    def json(self):
        return json_module.loads(self._body)


def _send(request, timeout):
    try:
        with urlopen(request, timeout=timeout) as answer:
            return Response(answer.status, answer.read())
    except HTTPError as error:
        return Response(error.code, error.read())


def get(url, params=None, timeout=None):
    return _send(Request(f"{url}?{urlencode(params)}" if params else url), timeout)


def post(url, json, headers, timeout=None):
    body = json_module.dumps(json).encode()
    return _send(Request(url, body, {"Content-Type": "application/json", **headers}), timeout)
