# The image holds the locked runtime dependencies, this project (spades/ with the tables' data, and service/, installed as
# one package).
# To use another base image, such as this one by digest: `--build-arg PYTHON_IMAGE=...`, or PYTHON_IMAGE with compose.
ARG PYTHON_IMAGE=python:3.12-slim-bookworm
FROM ${PYTHON_IMAGE} AS build
COPY requirements/runtime.txt /build/runtime.txt
# Only wheels are installed, so no compiler is needed. pip is not in the environment that the image copies.
RUN python -m venv --without-pip /opt/venv \
    && pip --python /opt/venv/bin/python install --no-cache-dir --disable-pip-version-check --no-input \
       --require-hashes --only-binary :all: -r /build/runtime.txt

# The project's wheel, built with the locked build backend and installed next to its dependencies.
FROM build AS project
COPY requirements/build.txt /build/build.txt
RUN python -m venv --without-pip /opt/build \
    && pip --python /opt/build/bin/python install --no-cache-dir --disable-pip-version-check --no-input \
       --require-hashes --only-binary :all: -r /build/build.txt
WORKDIR /build/project
COPY pyproject.toml README.md LICENSE ./
COPY spades/ ./spades/
COPY service/ ./service/
# spades/data is a link to it; the wheel has the files.
COPY tables/data/ ./tables/data/
RUN /opt/build/bin/python -m hatchling build --target wheel --directory /build/wheels \
    && pip --python /opt/venv/bin/python install --no-cache-dir --disable-pip-version-check --no-input \
       --no-index --no-deps /build/wheels/*.whl

# What searches for cards (player search@1) need in addition: a compiler, and the code in `tables` that it compiles.
FROM project AS with-search
COPY requirements/search.txt /build/search.txt
RUN pip --python /opt/venv/bin/python install --no-cache-dir --disable-pip-version-check --no-input \
       --require-hashes --only-binary :all: -r /build/search.txt
# No wheel installs a package `tables`, so its code is copied beside the installed packages; the data is in spades/data.
COPY tables/ ./tables/
RUN rm -r tables/data \
    && packages=$(/opt/venv/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))") \
    && cp -r tables "$packages/" \
    && /opt/venv/bin/python -m compileall -q "$packages/tables"

FROM ${PYTHON_IMAGE} AS base
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1
# Remove the base image's pip too, because nothing is installed into a running container.
RUN pip uninstall --yes --quiet --root-user-action ignore pip \
    && groupadd --system --gid 10001 bidder \
    && useradd --system --uid 10001 --gid bidder --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin bidder
WORKDIR /app
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import http.client, sys; c = http.client.HTTPConnection('127.0.0.1', 8080, timeout=2); c.request('GET', '/healthz'); sys.exit(c.getresponse().status != 200)"]
# The service accepts callers without API keys: everybody who can reach the port can call it (SECURITY.md).
CMD ["python", "-m", "service", "serve", "--host", "0.0.0.0", "--port", "8080", "--allow-unauthenticated"]

# The service with searches for cards: `docker build --target search`. The machine code is compiled here, for all
# processors of this architecture, so that no container compiles.
FROM base AS search
COPY --from=with-search /opt/venv /opt/venv
ENV SPADES_SEARCH_PROCESSES=1 \
    NUMBA_CPU_NAME=generic \
    XDG_CACHE_HOME=/opt/machine-code
RUN python -m tables searcher </dev/null
ENV NUMBA_CACHE_LOCATOR_CLASSES=tables.players.kept_code.KeptCode
USER 10001:10001

# The service. It is the last stage, so that `docker build` makes it if no target is named.
FROM base AS service
COPY --from=project /opt/venv /opt/venv
USER 10001:10001
