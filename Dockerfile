# The image holds the locked packages in /opt/venv, and spades/, service/, arena/ and the tables' data in /app, as in a
# checkout.
# To use another base image, such as this one by digest: `--build-arg PYTHON_IMAGE=...` or `DEBIAN_IMAGE=...`, or these
# variables with compose.
ARG PYTHON_IMAGE=python:3.13-slim-trixie
ARG DEBIAN_IMAGE=debian:trixie-slim
FROM ${PYTHON_IMAGE} AS packages
COPY requirements/runtime.txt /build/
# Only wheels are installed, so no compiler is needed. pip is not in the environment that the image copies.
RUN python -m venv --without-pip /opt/venv \
    && pip --python /opt/venv/bin/python install --no-cache-dir --disable-pip-version-check --no-input \
       --require-hashes --only-binary :all: -r /build/runtime.txt

# What searches for cards need in addition: the group `search` of pyproject.toml, with what it needs.
FROM packages AS search-packages
COPY requirements/all.txt /build/
RUN sed -n '/^\(llvmlite\|numba\|tqdm\)==/,/# via/p' /build/all.txt >/build/search.txt \
    && pip --python /opt/venv/bin/python install --no-cache-dir --disable-pip-version-check --no-input \
       --require-hashes --only-binary :all: -r /build/search.txt

FROM ${PYTHON_IMAGE} AS base
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1
# Remove the base image's pip too, because nothing is installed into a running container.
RUN pip uninstall --yes --quiet --root-user-action ignore pip \
    && groupadd --system --gid 10001 bidder \
    && useradd --system --uid 10001 --gid bidder --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin bidder
WORKDIR /app
COPY spades/ ./spades/
COPY service/ ./service/
RUN python -m compileall -q spades service
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import http.client, sys; c = http.client.HTTPConnection('127.0.0.1', 8080, timeout=2); c.request('GET', '/healthz'); sys.exit(c.getresponse().status != 200)"]
# The service accepts callers without API keys: everybody who can reach the port can call it (SECURITY.md).
CMD ["python", "-m", "service", "serve", "--host", "0.0.0.0", "--port", "8080", "--allow-unauthenticated"]

# The service without the search for cards, smaller and with less memory: `docker build --target small`.
FROM base AS small
COPY --from=packages /opt/venv /opt/venv
COPY tables/data/ ./tables/data/
USER 10001:10001

# nginx in front of the service, with our limits: `docker build --target proxy`. The upstream is the host `bidder`.
FROM ${DEBIAN_IMAGE} AS proxy
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends nginx-light \
    && rm -rf /var/lib/apt/lists/*
COPY deploy/nginx/nginx.conf /etc/nginx/nginx.conf
EXPOSE 8080
STOPSIGNAL SIGQUIT
# If the service does not answer through nginx, its container may have a new address: SIGHUP makes nginx ask for it.
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=3 \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8080; printf 'GET /healthz HTTP/1.0\\r\\nHost: proxy\\r\\n\\r\\n' >&3; read -r -t 2 _ status _ <&3; [ \"$status\" = 200 ] || { kill -HUP 1; exit 1; }"]
USER 10001:10001
CMD ["nginx"]

# The service, with the search for cards. It is the last stage, so that `docker build` makes it if no target is named. The
# machine code is compiled here, for all processors of this architecture, so that no container compiles.
FROM base AS service
COPY --from=search-packages /opt/venv /opt/venv
COPY arena/ ./arena/
COPY tables/data/ ./tables/data/
ENV SPADES_SEARCH_PROCESSES=1 \
    NUMBA_CPU_NAME=generic \
    XDG_CACHE_HOME=/opt/machine-code
RUN python -m compileall -q arena \
    && python -m arena searcher </dev/null
ENV NUMBA_CACHE_LOCATOR_CLASSES=arena.kept_code.KeptCode
USER 10001:10001
