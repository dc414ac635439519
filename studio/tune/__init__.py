"""Options of policies, chosen by games beside people of a model."""
