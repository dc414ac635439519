# Stage one installs the locked runtime dependencies; the image that ships holds them, service/ and the tables' data.
FROM python:3.12-slim-bookworm AS build
COPY requirements/runtime.txt /build/runtime.txt
# Wheels only: no compiler is needed here or there. pip stays outside the environment that is copied.
RUN python -m venv --without-pip /opt/venv \
    && pip --python /opt/venv/bin/python install --no-cache-dir --disable-pip-version-check --no-input \
       --require-hashes --only-binary :all: -r /build/runtime.txt

FROM python:3.12-slim-bookworm
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1
RUN groupadd --system --gid 10001 bidder \
    && useradd --system --uid 10001 --gid bidder --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin bidder
WORKDIR /app
COPY --from=build /opt/venv /opt/venv
COPY service/ ./service/
COPY tables/data/ ./tables/data/
RUN python -m compileall -q service
USER 10001:10001
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import http.client, sys; c = http.client.HTTPConnection('127.0.0.1', 8080, timeout=2); c.request('GET', '/healthz'); sys.exit(c.getresponse().status != 200)"]
# The container listens for whoever is let in to it, without API keys, and says so; see SECURITY.md.
CMD ["python", "-m", "service", "serve", "--host", "0.0.0.0", "--port", "8080", "--allow-unauthenticated"]
