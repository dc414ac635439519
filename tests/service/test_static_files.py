"""The pages at / and /docs and their files: headers, revalidation, methods."""

import re
from urllib.parse import urljoin

import pytest

_PAGES = ("/", "/docs")
_FILES = {
    "/static/main.js": "text/javascript; charset=utf-8",
    "/static/playground.css": "text/css; charset=utf-8",
    "/static/theme.css": "text/css; charset=utf-8",
    "/static/icon.svg": "image/svg+xml",
    "/static/swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "/static/swagger-ui.css": "text/css; charset=utf-8",
}


@pytest.mark.parametrize(
    ("path", "kind"), [*dict.fromkeys(_PAGES, "text/html; charset=utf-8").items(), *_FILES.items()]
)
def test_headers(call, path, kind):
    response = call("GET", path)
    assert response.status_code == 200
    assert response.headers["content-type"] == kind
    assert response.headers["cache-control"] == "no-cache"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["referrer-policy"] == "no-referrer"
    head = call("HEAD", path)
    assert head.content == b""
    assert head.headers["content-length"] == str(len(response.content))


@pytest.mark.parametrize("path", _PAGES)
def test_pages_allow_nothing_from_elsewhere(call, path):
    response = call("GET", path)
    policy = response.headers["content-security-policy"]
    assert policy.startswith("default-src 'self';")
    assert "unsafe" not in policy
    assert "http" not in policy
    assert response.headers["x-frame-options"] == "DENY"
    assert re.findall(r"<script[^>]*>([^<]+)", response.text) == []
    assert re.findall(r"<style|style=|\son\w+=", response.text) == []


@pytest.mark.parametrize("path", _PAGES)
def test_the_files_of_a_page_are_there(call, path):
    links = re.findall(r'(?:src|href)="([^"#]+)"', call("GET", path).text)
    assert len(links) >= 3
    for link in links:
        assert call("GET", urljoin(path, link)).status_code == 200


@pytest.mark.parametrize("path", ["/", "/static/main.js"])
def test_a_known_file_is_not_sent_again(call, path):
    whole = call("GET", path)
    etag = whole.headers["etag"]
    for known in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        for method in ("GET", "HEAD"):
            response = call(method, path, headers={"if-none-match": known})
            assert response.status_code == 304
            assert response.content == b""
            assert response.headers["etag"] == etag
    assert call("GET", path, headers={"if-none-match": '"other"'}).content == whole.content


@pytest.mark.parametrize("path", ["/", "/docs", "/static/main.js"])
def test_other_methods_are_refused(call, path):
    response = call("POST", path)
    assert response.status_code == 405
    assert response.headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize("path", ["/static/", "/static/nope.js", "/static/../app.py", "/static/index.html", "/docs/"])
def test_other_paths_are_not_found(call, path):
    response = call("GET", path)
    assert response.status_code == 404
    assert response.json()["type"] == "/problems/not-found"


def test_files_share_one_metrics_label(call):
    call("GET", "/static/main.js")
    call("GET", "/static/nope.js")
    text = call("GET", "/metrics").text
    assert 'route="/static/{name}",status="200"' in text
    assert "main.js" not in text
