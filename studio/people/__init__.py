"""The training of the model of people, and how it is judged and written; `arena.people` is the model."""
