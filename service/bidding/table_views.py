"""`Tables`: all arrays that the kernels read."""

from typing import Any, NamedTuple, TypeAlias

View: TypeAlias = Any  # a memoryview in the service, an ndarray of the same bytes in the simulator


class Tables(NamedTuple):
    """All arrays that the kernels read, as views indexed [i, j, ...]; each field is named after its array.

    A new table is one more field here. If the field is not the whole array, `tables_by_profile` needs a line too.
    """

    p_length: View  # float64 (4, 14, 4): [m, n, k] -> P(each of m players holds >= k of a suit of which we hold n)
    # float64 (2, 8192): [side suit or spades, holding] -> P(its three lowest cards take no trick). With jokers
    # (3, 32768): the rows are clubs and hearts, diamonds, spades. Kernels count the last two from the end.
    cnil: View
    # float64 (4, 8192): [opponents who may ruff, holding] -> tricks of its ace, king and queen. With jokers (8, 8192):
    # rows of clubs and hearts before those of diamonds, which kernels count from the end.
    side_high: View
    spade_high: View  # uint8 (8192, 10): [holding, number k of lowest cards removed] -> tricks by rank
    spade_takes: View  # uint8 (8192, 10): the same -> tricks by rank and length
    ruffs: View  # float64 (4, 64, 10): [opponents who may ruff, side lengths, k] -> tricks of the best k ruffs
    rb_suit: View  # float64 (2, 8192): [side suit or spades, holding] -> tricks that RB counts
    factor: View  # float64 (4, 40): [seat, sum of the previous bids] -> tricks to add
    curves: View  # float64 (2955, 101): [sequence of previous bids, nil value] -> P(nil made)
    single_curve: View  # float64 (1, 101): the same for all sequences of bids
    contract_made: View  # float64 (2, 27): [side without or with a nil, contract] -> P(contract made)
    mean_bids: View  # float64 (2955, 3): sequence of bids -> means of the next three bids
    p_ace: View  # float64 (4, 40): [seat, sum of the previous bids] -> P(its hand holds the ace of spades)
    blind_nil: View  # float64 (2955,): sequence of previous bids -> P(blind nil made)
    # The network of `winprob`, float64, and its win tables; only `winprob` reads them.
    net_position: View  # (INPUTS + 1, H): inputs of a position, and the biases -> first hidden layer
    net_bid: View  # (BID_INPUTS, H): inputs of a bid -> first hidden layer
    net_hidden: View  # (H + 1, G): first hidden layer -> second
    net_out: View  # (G + 1, 20): second hidden layer -> outcomes
    win: View  # uint16 (cells,): win tables of all games in a row -> P(first bidder's side wins) in 65,535ths
    more_win: View  # the same for games with other rules, made with --rules
    games: View  # int64 (games, 18 or more): rules of each game and place of its win table; those of `win` first
