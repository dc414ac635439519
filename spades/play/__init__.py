"""Playing a round: its state, the rules of tricks, and the card players, for the service and the simulator."""
