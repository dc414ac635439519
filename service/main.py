"""The app for `uvicorn service.main:app`, `fastapi run service/main.py` and gunicorn; `app.create_app` makes it."""

from service.app import create_app

app = create_app()
