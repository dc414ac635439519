"""Requests and answers as JSON values: each field declared once, as types that pydantic reads.

`bid_request`, `card_request`, `pass_request`, `inference_request` and `results` read a request into plain values of the
library, or raise `faults.RequestError` with every fault. `answer_types` has the fields of the answers.
"""
