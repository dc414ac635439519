"""`Tables`: the arrays that the kernels read."""

from typing import Any, NamedTuple, TypeAlias

View: TypeAlias = Any  # a memoryview in the service, an ndarray of the same bytes in the simulator


class Tables(NamedTuple):
    """What the kernels read, as views indexed [i, j, ...]; each field is the array of that name.

    A new table is one more field here; one that is not the whole array has its line in `tables_by_profile` too.
    """

    p_length: View  # float64 (4, 14, 4): P(each of m players holds >= k of a suit of which we hold n)
    # float64 (2, 8192): side or spades, holding -> P(its three lowest cards take no trick). With jokers (3, 32768):
    # clubs and hearts, diamonds, spades; so kernels count the rows of diamonds and spades from the end.
    cnil: View
    # float64 (4, 8192): opponents who might cut, holding -> tricks of its A K Q. With jokers (8, 8192): rows of clubs
    # and hearts before those of diamonds, which kernels count from the end.
    side_high: View
    spade_high: View  # uint8 (8192, 10): holding, k lowest taken away -> tricks by rank
    spade_takes: View  # uint8 (8192, 10): the same, by rank and length
    ruffs: View  # float64 (4, 64, 10): opponents who might cut, side lengths -> worth of the best k ruffs
    rb_suit: View  # float64 (2, 8192): side or spades, holding -> RB's tricks
    factor: View  # float64 (4, 40): seat, sum of the previous bids -> tricks to add
    curves: View  # float64 (2955, 101): sequence of previous bids, nil value -> P(nil made)
    single_curve: View  # float64 (1, 101): the same, whatever was bid before
    contract_made: View  # float64 (2, 27): side without or with a nil, contract -> P(made)
    mean_bids: View  # float64 (2955, 3): sequence of bids -> mean of the next, the one after, and the third
    p_ace: View  # float64 (4, 40): seat, sum of the previous bids -> P(its hand holds the ace of spades)
    blind_nil: View  # float64 (2955,): sequence of previous bids -> P(blind nil made)
    # The net of `winprob`, float64, and its win tables; see net and win_games. Other bidders read none of them.
    net_position: View  # (INPUTS + 1, H): a position's inputs, and the biases -> first hidden layer
    net_bid: View  # (BID_INPUTS, H): a bid's inputs
    net_hidden: View  # (H + 1, G): first hidden layer -> second
    net_out: View  # (G + 1, 20): second hidden layer -> outcomes
    win: View  # uint16 (cells,): the games' tables one after the other -> P(first bidder's side wins), 65,535ths
    more_win: View  # the same of games with other rules, made by --rules
    games: View  # int64 (games, 18 or more): what tells each game, and where its table stands; those of `win` first
