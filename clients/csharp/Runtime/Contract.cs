// The contract's requests and answers. `make clients` makes this file from the OpenAPI document.

using System.Collections.Generic;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Spades
{
    /// <summary>A step after the estimate that changed the bid or its meaning, or could have changed the bid.</summary>
    public sealed partial class Adjustment
    {
        [JsonProperty("rule")]
        public string Rule { get; set; }
        [JsonProperty("before")]
        public long Before { get; set; }
        [JsonProperty("after")]
        public long After { get; set; }
        [JsonProperty("why")]
        public string Why { get; set; }
        [JsonProperty("projected")]
        public Projected Projected { get; set; }
        [JsonProperty("aggression")]
        public double? Aggression { get; set; }
        [JsonProperty("nil_bias")]
        public double? NilBias { get; set; }
        [JsonProperty("level")]
        public long? Level { get; set; }
        [JsonProperty("seed")]
        public long? Seed { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>One bid. `kind` is never blind_nil: POST /v1/bid/blind decides whether to bid it, before the hand is
    /// seen.</summary>
    public sealed partial class BidAnswer
    {
        /// <summary>0 is nil.</summary>
        [JsonProperty("bid")]
        public int Bid { get; set; }
        /// <summary>Values: regular, nil, blind_nil.</summary>
        [JsonProperty("kind")]
        public string Kind { get; set; }
        /// <summary>The policy that decided, as the request named it; for best, its choice.</summary>
        [JsonProperty("policy")]
        public string Policy { get; set; }
        /// <summary>Version of the tables that the answer was made with.</summary>
        [JsonProperty("tables")]
        public string Tables { get; set; }
        /// <summary>The fields that the request left out, as dotted names. `rules.bag_limit=10, error 0.6` means: the
        /// win table in use was made for bag_limit 10 and not for these rules, so win probabilities are wrong by 0.6
        /// percentage points on average. `error not measured`: the error is not known.</summary>
        [JsonProperty("assumed")]
        public List<string> Assumed { get; set; }
        /// <summary>Seed of the random numbers; left out if none were used.</summary>
        [JsonProperty("seed")]
        public long? Seed { get; set; }
        /// <summary>Left out when explain is false.</summary>
        [JsonProperty("explanation")]
        public Explanation Explanation { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>The answers, in the order of the requests.</summary>
    public sealed partial class BidsAnswer
    {
        [JsonProperty("answers")]
        public List<BatchItem<BidAnswer>> Answers { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>A blind bid, or look at the hand.</summary>
    public sealed partial class BlindAnswer
    {
        [JsonProperty("blind_nil")]
        public bool BlindNil { get; set; }
        /// <summary>The number to bid blind; null: none. Only if the rules have a blind_min.</summary>
        [JsonProperty("blind_number")]
        public long? BlindNumber { get; set; }
        /// <summary>The policy that decided, as the request named it; for best, its choice.</summary>
        [JsonProperty("policy")]
        public string Policy { get; set; }
        /// <summary>Version of the tables that the answer was made with.</summary>
        [JsonProperty("tables")]
        public string Tables { get; set; }
        /// <summary>The fields that the request left out, as dotted names. `rules.bag_limit=10, error 0.6` means: the
        /// win table in use was made for bag_limit 10 and not for these rules, so win probabilities are wrong by 0.6
        /// percentage points on average. `error not measured`: the error is not known.</summary>
        [JsonProperty("assumed")]
        public List<string> Assumed { get; set; }
        [JsonProperty("explanation")]
        public BlindExplanation Explanation { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>The reasons of the decision; the figures of a blind nil are given if the rules allow one. The answer is
    /// blind nil if `lot` is below `frequency` and `p_made` is at least `floor`.</summary>
    public sealed partial class BlindExplanation
    {
        /// <summary>The rule that decided.</summary>
        [JsonProperty("rule")]
        public string Rule { get; set; }
        /// <summary>Probability that the hand has this card.</summary>
        [JsonProperty("p_ace_of_spades")]
        public double? PAceOfSpades { get; set; }
        /// <summary>Probability that a blind nil is made; from self-play.</summary>
        [JsonProperty("p_made")]
        public double? PMade { get; set; }
        /// <summary>Points that a blind nil itself wins on average.</summary>
        [JsonProperty("expected_points")]
        public double? ExpectedPoints { get; set; }
        /// <summary>Smallest p_made at which the policy bids blind nil.</summary>
        [JsonProperty("floor")]
        public double? Floor { get; set; }
        /// <summary>How often the rule bids blind nil.</summary>
        [JsonProperty("frequency")]
        public double? Frequency { get; set; }
        /// <summary>A random number from 0 to 1, made from the seed.</summary>
        [JsonProperty("lot")]
        public double? Lot { get; set; }
        /// <summary>Null if an earlier bid is a nil.</summary>
        [JsonProperty("projected")]
        public Projected Projected { get; set; }
        /// <summary>Win probability of a look, if blind numbers were compared with it.</summary>
        [JsonProperty("p_look")]
        public double? PLook { get; set; }
        /// <summary>The blind numbers that were compared.</summary>
        [JsonProperty("numbers")]
        public List<BlindNumber> Numbers { get; set; }
        [JsonProperty("sentence")]
        public string Sentence { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>A number that may be bid blind, and the win probability of the side with it.</summary>
    public sealed partial class BlindNumber
    {
        [JsonProperty("number")]
        public long Number { get; set; }
        [JsonProperty("p_win")]
        public double PWin { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>One bid, with its win probability. A full explanation lists every bid that is allowed and legal. The
    /// policy compared only some of them.</summary>
    public sealed partial class Candidate
    {
        [JsonProperty("bid")]
        public long Bid { get; set; }
        /// <summary>Probability of winning the game with this bid.</summary>
        [JsonProperty("p_win")]
        public double PWin { get; set; }
        /// <summary>The side's contract with this bid, tricks.</summary>
        [JsonProperty("contract")]
        public long Contract { get; set; }
        [JsonProperty("opponents_contract")]
        public long OpponentsContract { get; set; }
        [JsonProperty("outcomes")]
        public Outcomes Outcomes { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>One card.</summary>
    public sealed partial class CardAnswer
    {
        [JsonProperty("card")]
        public string Card { get; set; }
        /// <summary>The card player that decided, with its version.</summary>
        [JsonProperty("player")]
        public string Player { get; set; }
        /// <summary>The cards that may be played, lowest first.</summary>
        [JsonProperty("legal")]
        public List<string> Legal { get; set; }
        /// <summary>The fields that the request left out, as dotted names. `rules.bag_limit=10, error 0.6` means: the
        /// win table in use was made for bag_limit 10 and not for these rules, so win probabilities are wrong by 0.6
        /// percentage points on average. `error not measured`: the error is not known.</summary>
        [JsonProperty("assumed")]
        public List<string> Assumed { get; set; }
        /// <summary>The goal first, or what a search or the net found.</summary>
        [JsonProperty("reasons")]
        public List<CardReason> Reasons { get; set; }
        /// <summary>Seed of what a level below 5 forgets; left out if it forgets nothing.</summary>
        [JsonProperty("seed")]
        public long? Seed { get; set; }
        /// <summary>Version of the tables, if the card player `distilled@1` decided.</summary>
        [JsonProperty("tables")]
        public string Tables { get; set; }
        [JsonProperty("search")]
        public SearchFigures Search { get; set; }
        /// <summary>Why the player `best` did not search: the server has no search processes, they were all busy, the
        /// deadline was near, the search failed, no win table fits the rules, the level is below those that search, or
        /// the request came in a batch. Values: no-processes, busy, deadline, failed, rules, level, batch.</summary>
        [JsonProperty("not_searched")]
        public string NotSearched { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>Why the card is played: the player's goal in the round, what the card does, or what a search or a net
    /// found. GET /v1/reasons has the sentences.</summary>
    public sealed partial class CardReason
    {
        /// <summary>Values: only-card, keep-nil, cover-nil, cover-later, lead-safe, lead-risky, attack-nil, under-nil,
        /// attack-later, nil-beaten, nil-safe, contract, own-contract, wants-tricks, no-tricks, set, set-certain,
        /// set-one, enough, enough-no-bags, sure, own-share, hopeless, failed-nil, overlooks, search-better,
        /// search-kept, net-better, lead-top, lead, win, win-sure, win-now, ruff, win-trump, side-wins, partner-wins,
        /// partner-ahead, nil-in-danger, lose, discard.</summary>
        [JsonProperty("code")]
        public string Code { get; set; }
        [JsonProperty("sentence")]
        public string Sentence { get; set; }
        /// <summary>The card that is given or played. Unit: card.</summary>
        [JsonProperty("card")]
        public string Card { get; set; }
        /// <summary>The seat that bid nil. Unit: seat.</summary>
        [JsonProperty("seat")]
        public long? Seat { get; set; }
        /// <summary>Tricks that are still needed for the contract, or for the bid. Unit: tricks.</summary>
        [JsonProperty("needed")]
        public long? Needed { get; set; }
        /// <summary>Tricks that are not decided yet, the current one included. Unit: tricks.</summary>
        [JsonProperty("left")]
        public long? Left { get; set; }
        /// <summary>Tricks that the opponents still need together. Unit: tricks.</summary>
        [JsonProperty("theirs")]
        public long? Theirs { get; set; }
        /// <summary>Unseen cards of the suit that are higher. Unit: cards.</summary>
        [JsonProperty("above")]
        public long? Above { get; set; }
        /// <summary>Random deals that were played. Unit: deals.</summary>
        [JsonProperty("deals")]
        public long? Deals { get; set; }
        /// <summary>How often the player's side wins the game after the card. Unit: percent.</summary>
        [JsonProperty("percent")]
        public double? Percent { get; set; }
        /// <summary>By how much the card raises the chance to win the game, as an estimate. Unit: percent.</summary>
        [JsonProperty("gain")]
        public double? Gain { get; set; }
        /// <summary>The card at full strength. Unit: card.</summary>
        [JsonProperty("full")]
        public string Full { get; set; }
        /// <summary>The card that rules choose: srp@4, for search@1 srp@3. Unit: card.</summary>
        [JsonProperty("usual")]
        public string Usual { get; set; }
        /// <summary>How often the side wins the game after the card that rules choose. Unit: percent.</summary>
        [JsonProperty("usual_percent")]
        public double? UsualPercent { get; set; }
        /// <summary>Unseen cards of the suit that are lower. Unit: cards.</summary>
        [JsonProperty("below")]
        public long? Below { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>The answers, in the order of the requests.</summary>
    public sealed partial class CardsAnswer
    {
        [JsonProperty("answers")]
        public List<BatchItem<CardAnswer>> Answers { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>A deck of 52 cards.</summary>
    public sealed partial class DeckInfo
    {
        [JsonProperty("meaning")]
        public string Meaning { get; set; }
        /// <summary>The cards of S, H, D, C, each suit from its highest card. S has all trumps.</summary>
        [JsonProperty("suits")]
        public Dictionary<string, List<string>> Suits { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>The reasons for the bid, and the numbers behind it, enough to redo it by hand. The policy decides which
    /// fields are present. With explain brief there are only `reasons` and `p_win`.</summary>
    public sealed partial class Explanation
    {
        [JsonProperty("regular")]
        public Regular Regular { get; set; }
        [JsonProperty("nil")]
        public Nil Nil { get; set; }
        [JsonProperty("adjustments")]
        public List<Adjustment> Adjustments { get; set; }
        /// <summary>winprob: every allowed legal bid.</summary>
        [JsonProperty("candidates")]
        public List<Candidate> Candidates { get; set; }
        /// <summary>winprob: the scaled inputs of its network, by name.</summary>
        [JsonProperty("inputs")]
        public Dictionary<string, double> Inputs { get; set; }
        /// <summary>The most important first; brief: at most four.</summary>
        [JsonProperty("reasons")]
        public List<Reason> Reasons { get; set; }
        /// <summary>The sentences of the reasons, in English.</summary>
        [JsonProperty("sentence")]
        public string Sentence { get; set; }
        /// <summary>winprob: probability of winning the game with the bid.</summary>
        [JsonProperty("p_win")]
        public double? PWin { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>One fault of a request.</summary>
    public sealed partial class FaultItem
    {
        /// <summary>JSON pointer (RFC 6901); empty: the whole body.</summary>
        [JsonProperty("pointer")]
        public string Pointer { get; set; }
        /// <summary>Values: missing-field, unknown-field, unsupported-field, wrong-type, out-of-range, too-many-items,
        /// hand-form, hand-size, unknown-card, duplicate-card, bid-out-of-range, seat-mismatch, team-over-limit,
        /// team-under-limit, illegal-bids, unknown-policy, unknown-tables, unsupported-player, unsupported-convention,
        /// contradiction, unsupported-rules.</summary>
        [JsonProperty("code")]
        public string Code { get; set; }
        [JsonProperty("detail")]
        public string Detail { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>Who may hold each card that the viewer cannot see, and random deals of these cards.</summary>
    public sealed partial class InferenceAnswer
    {
        /// <summary>By seat and card, the probability that the seat holds the card now. Cards that a seat cannot hold
        /// are left out. The probabilities of a card sum to 1, those of a seat to its number of cards.</summary>
        [JsonProperty("seats")]
        public Dictionary<string, Dictionary<string, double>> Seats { get; set; }
        /// <summary>Version of the tables that the answer was made with.</summary>
        [JsonProperty("tables")]
        public string Tables { get; set; }
        /// <summary>The policy that all players are assumed to bid by. Values: bis, best.</summary>
        [JsonProperty("policy")]
        public string Policy { get; set; }
        /// <summary>The fields that the request left out, as dotted names; and, as in `bids, not read in variant whiz`,
        /// that the bids were not used.</summary>
        [JsonProperty("assumed")]
        public List<string> Assumed { get; set; }
        /// <summary>Of each deal, by seat, the cards that it holds now; left out if deals is 0.</summary>
        [JsonProperty("deals")]
        public List<Dictionary<string, List<string>>> Deals { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>Who may hold each card that the viewer cannot see.</summary>
    public sealed partial class InferenceItemAnswer
    {
        /// <summary>By seat and card, the probability that the seat holds the card now. Cards that a seat cannot hold
        /// are left out. The probabilities of a card sum to 1, those of a seat to its number of cards.</summary>
        [JsonProperty("seats")]
        public Dictionary<string, Dictionary<string, double>> Seats { get; set; }
        /// <summary>Version of the tables that the answer was made with.</summary>
        [JsonProperty("tables")]
        public string Tables { get; set; }
        /// <summary>The policy that all players are assumed to bid by. Values: bis, best.</summary>
        [JsonProperty("policy")]
        public string Policy { get; set; }
        /// <summary>The fields that the request left out, as dotted names; and, as in `bids, not read in variant whiz`,
        /// that the bids were not used.</summary>
        [JsonProperty("assumed")]
        public List<string> Assumed { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>The answers, in the order of the requests.</summary>
    public sealed partial class InferencesAnswer
    {
        [JsonProperty("answers")]
        public List<BatchItem<InferenceItemAnswer>> Answers { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>The reasons for and against a nil. If a nil is ruled out, the policy bids it only if no other bid is
    /// possible. winprob has two exceptions. It also considers a nil with four spades below the king. And if it would
    /// compare none of the bids in `legal_bids`, it compares all of them.</summary>
    public sealed partial class Nil
    {
        /// <summary>Whether the policy wants a nil; later steps may still change the bid.</summary>
        [JsonProperty("chosen")]
        public bool Chosen { get; set; }
        /// <summary>By suit: probability that its 3 lowest cards win no trick.</summary>
        [JsonProperty("cnil")]
        public Dictionary<string, double> Cnil { get; set; }
        /// <summary>1.15 with a void side suit, otherwise 1.</summary>
        [JsonProperty("void_factor")]
        public double? VoidFactor { get; set; }
        /// <summary>Product of the 4 `cnil` and `void_factor`, at most 1.</summary>
        [JsonProperty("value")]
        public double? Value { get; set; }
        /// <summary>Probability that the nil is made.</summary>
        [JsonProperty("probability")]
        public double? Probability { get; set; }
        /// <summary>Points that the nil itself wins on average.</summary>
        [JsonProperty("expected_points")]
        public double? ExpectedPoints { get; set; }
        /// <summary>Points that a nil must be worth. Null: not used by this policy.</summary>
        [JsonProperty("threshold")]
        public double? Threshold { get; set; }
        /// <summary>Why a nil is ruled out; null if it is not.</summary>
        [JsonProperty("ruled_out")]
        public string RuledOut { get; set; }
        /// <summary>The nil rule of rb, ms and io in words.</summary>
        [JsonProperty("rule")]
        public string Rule { get; set; }
        /// <summary>With explain curve: the probability for values 0, 0.01, ... 1 in this auction.</summary>
        [JsonProperty("curve")]
        public List<double> Curve { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>Probabilities of the outcomes of a bid; which ones are given depends on the nils that were
    /// bid.</summary>
    public sealed partial class Outcomes
    {
        /// <summary>The side makes its contract.</summary>
        [JsonProperty("made")]
        public double Made { get; set; }
        /// <summary>The side fails its contract.</summary>
        [JsonProperty("set")]
        public double Set { get; set; }
        /// <summary>The contract is made with two bags or more.</summary>
        [JsonProperty("bags")]
        public double? Bags { get; set; }
        [JsonProperty("nil_made")]
        public double? NilMade { get; set; }
        [JsonProperty("nil_failed")]
        public double? NilFailed { get; set; }
        [JsonProperty("opponents_set")]
        public double OpponentsSet { get; set; }
        [JsonProperty("opponents_nil_failed")]
        public double? OpponentsNilFailed { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>The cards to give partner.</summary>
    public sealed partial class PassAnswer
    {
        /// <summary>As many as the rules say: spades, hearts, diamonds, clubs.</summary>
        [JsonProperty("cards")]
        public List<string> Cards { get; set; }
        /// <summary>The seat of the partner.</summary>
        [JsonProperty("to")]
        public int To { get; set; }
        /// <summary>One for each card.</summary>
        [JsonProperty("reasons")]
        public List<PassReason> Reasons { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>Why a card is given, with the unseen cards of its suit.</summary>
    public sealed partial class PassReason
    {
        /// <summary>Values: top-spade, spade, empties-suit, high, low-of-suit, low, lowest-left, low-spade.</summary>
        [JsonProperty("code")]
        public string Code { get; set; }
        [JsonProperty("card")]
        public string Card { get; set; }
        /// <summary>Unseen cards of the suit that are higher.</summary>
        [JsonProperty("above")]
        public long Above { get; set; }
        /// <summary>Unseen cards of the suit that are lower.</summary>
        [JsonProperty("below")]
        public long Below { get; set; }
        [JsonProperty("sentence")]
        public string Sentence { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>The policies, `best` first.</summary>
    public sealed partial class PoliciesAnswer
    {
        [JsonProperty("default")]
        public string Default { get; set; }
        [JsonProperty("policies")]
        public List<PolicyInfo> Policies { get; set; }
        /// <summary>The rules that have a win table, each as changes to preset classic, as in a request's rules. Rules
        /// that change no win table, such as blind_nil, may have any value beside them.</summary>
        [JsonProperty("win_tables")]
        public List<RuleSet> WinTables { get; set; }
        /// <summary>What the default tables give to policies.</summary>
        [JsonProperty("table_options")]
        public List<TableOptions> TableOptions { get; set; }
        /// <summary>Fields of a request that change any policy.</summary>
        [JsonProperty("grades")]
        public Dictionary<string, string> Grades { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>A policy that a request can name.</summary>
    public sealed partial class PolicyInfo
    {
        /// <summary>The policy's text in a request.</summary>
        [JsonProperty("policy")]
        public string Policy { get; set; }
        [JsonProperty("version")]
        public string Version { get; set; }
        [JsonProperty("description")]
        public string Description { get; set; }
        [JsonProperty("options")]
        public List<string> Options { get; set; }
        /// <summary>best only: its candidates. The first that takes the rules decides.</summary>
        [JsonProperty("deciders")]
        public List<string> Deciders { get; set; }
        /// <summary>The variants in which it bids.</summary>
        [JsonProperty("variants")]
        public List<string> Variants { get; set; }
        /// <summary>True: it values scores by the nearest of win_tables.</summary>
        [JsonProperty("needs_win_table")]
        public bool NeedsWinTable { get; set; }
        [JsonProperty("typical_time")]
        public TypicalTime TypicalTime { get; set; }
        /// <summary>Its results, with the page they are from. Null: not measured.</summary>
        [JsonProperty("strength")]
        public string Strength { get; set; }
        /// <summary>The same as numbers. Empty: not measured.</summary>
        [JsonProperty("win_rates")]
        public List<WinRate> WinRates { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>An error answer (RFC 9457).</summary>
    public sealed partial class Problem
    {
        /// <summary>A stable URI reference. Values: /problems/invalid-json, /problems/invalid-deadline,
        /// /problems/invalid-http, /problems/unauthorized, /problems/not-found, /problems/method-not-allowed,
        /// /problems/request-timeout, /problems/body-too-large, /problems/unsupported-media-type,
        /// /problems/invalid-request, /problems/rate-limited, /problems/headers-too-large, /problems/internal-error,
        /// /problems/not-ready, /problems/overloaded, /problems/deadline-exceeded.</summary>
        [JsonProperty("type")]
        public string Type { get; set; }
        [JsonProperty("title")]
        public string Title { get; set; }
        [JsonProperty("status")]
        public long Status { get; set; }
        [JsonProperty("detail")]
        public string Detail { get; set; }
        /// <summary>Every fault of the request, at most 64.</summary>
        [JsonProperty("errors")]
        public List<FaultItem> Errors { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>The scores if all four players make their bids.</summary>
    public sealed partial class Projected
    {
        [JsonProperty("us")]
        public double Us { get; set; }
        [JsonProperty("them")]
        public double Them { get; set; }
        [JsonProperty("sum_of_bids")]
        public double SumOfBids { get; set; }
        /// <summary>Mean bids of the players still to bid.</summary>
        [JsonProperty("mean_bids")]
        public List<double> MeanBids { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>A reason for the bid: its code, and the numbers in its sentence. GET /v1/reasons has the
    /// sentences.</summary>
    public sealed partial class Reason
    {
        /// <summary>Values: bid, bid-nil, bid-blind-nil, wins, wins-nil, tricks, hardly-a-trick, at-least-one,
        /// tricks-left, certain-tricks, simple-count, partner-bid, partner-nil, partner-to-bid, partner-alone,
        /// partner-alone-to-bid, partner-nil-makes, their-nil, alone, opposite-as-partner, makes, other-number, lower,
        /// lower-bags, other-number-wins, best-number, too-close, close, better, better-nil, no-other-bid, nil-makes,
        /// nil-wins-less, nil-too-close, nil-above-threshold, nil-below-threshold, nil-pass, nil-pass-one,
        /// nil-by-simple-rule, weak-spades, weak-hearts, weak-diamonds, weak-clubs, weak-four-spades, no-nil-partner,
        /// no-nil-ace-of-spades, no-nil-king-queen, no-nil-three-high, no-nil-four-spades, no-nil-honour,
        /// no-nil-switched-off, no-nil-rules, no-nil-big-joker, no-nil-joker-ace, no-nil-three-above-jack,
        /// no-nil-joker-honour, counts-double, theirs-counts-double, we-reach-goal, they-reach-goal, both-reach-goal,
        /// others-to-bid, would-win, would-win-nil, would-lose, loses-if-set, loses-if-nil-fails, bags, their-bags,
        /// opponents-nil, complete-to-14, close-race, desperate-nil, regular-wins-too, last-seat-one-less, big5-signal,
        /// big5-refusal, big5-answer, big6-signal, big6-refusal, big6-answer, mirror, whiz, whiz-strict, suicide,
        /// ten-for-200, not-allowed, nil-not-allowed, not-legal, nil-not-legal, style, misjudges, misjudges-nil,
        /// forgets-nils, draws, full-strength, full-strength-nil, full-strength-same.</summary>
        [JsonProperty("code")]
        public string Code { get; set; }
        /// <summary>The bid that was made. Unit: tricks.</summary>
        [JsonProperty("bid")]
        public long? Bid { get; set; }
        /// <summary>A bid that was not made. Unit: tricks.</summary>
        [JsonProperty("other")]
        public long? Other { get; set; }
        /// <summary>Partner's bid; if partner has not bid yet, the expected one. Unit: tricks.</summary>
        [JsonProperty("partner")]
        public long? Partner { get; set; }
        /// <summary>The contract of the bidder's side. Unit: tricks.</summary>
        [JsonProperty("contract")]
        public long? Contract { get; set; }
        /// <summary>Tricks, as the sentence says. Unit: tricks.</summary>
        [JsonProperty("tricks")]
        public double? Tricks { get; set; }
        /// <summary>A probability, as the sentence says. Unit: percent.</summary>
        [JsonProperty("percent")]
        public double? Percent { get; set; }
        /// <summary>How often the contract or the nil is made. Unit: percent.</summary>
        [JsonProperty("makes")]
        public long? Makes { get; set; }
        /// <summary>What a nil earns on average. Unit: points.</summary>
        [JsonProperty("points")]
        public double? Points { get; set; }
        /// <summary>What a nil must earn on average. Unit: points.</summary>
        [JsonProperty("threshold")]
        public double? Threshold { get; set; }
        /// <summary>A score after the round. Unit: points.</summary>
        [JsonProperty("score")]
        public long? Score { get; set; }
        /// <summary>The score of the others after the round. Unit: points.</summary>
        [JsonProperty("their_score")]
        public long? TheirScore { get; set; }
        /// <summary>The score at which a side wins, or loses, the game. Unit: points.</summary>
        [JsonProperty("goal")]
        public long? Goal { get; set; }
        /// <summary>How often the nil of the opponents fails. Unit: percent.</summary>
        [JsonProperty("fails")]
        public long? Fails { get; set; }
        /// <summary>The bags of a side before the round. Unit: bags.</summary>
        [JsonProperty("bags")]
        public long? Bags { get; set; }
        /// <summary>The number of bags that brings a penalty. Unit: bags.</summary>
        [JsonProperty("limit")]
        public long? Limit { get; set; }
        /// <summary>The penalty for that many bags. Unit: points.</summary>
        [JsonProperty("penalty")]
        public long? Penalty { get; set; }
        /// <summary>The number of cards that a nil bidder gives to partner. Unit: cards.</summary>
        [JsonProperty("cards")]
        public long? Cards { get; set; }
        /// <summary>The skill level. Unit: level.</summary>
        [JsonProperty("level")]
        public long? Level { get; set; }
        /// <summary>The style's leaning to fewer tricks or to more. Unit: -1 to 1.</summary>
        [JsonProperty("aggression")]
        public double? Aggression { get; set; }
        /// <summary>The style's leaning away from nils or to them. Unit: -1 to 1.</summary>
        [JsonProperty("nil_bias")]
        public double? NilBias { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>A reason, with its sentence in English, in which {name} stands for the number of that name.</summary>
    public sealed partial class ReasonInfo
    {
        [JsonProperty("code")]
        public string Code { get; set; }
        [JsonProperty("template")]
        public string Template { get; set; }
        [JsonProperty("numbers")]
        public List<string> Numbers { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>A number in reasons.</summary>
    public sealed partial class ReasonNumber
    {
        [JsonProperty("unit")]
        public string Unit { get; set; }
        [JsonProperty("meaning")]
        public string Meaning { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>The reasons that an explanation can give, and the numbers in them.</summary>
    public sealed partial class ReasonsAnswer
    {
        /// <summary>Of bids.</summary>
        [JsonProperty("reasons")]
        public List<ReasonInfo> Reasons { get; set; }
        /// <summary>Of the cards that POST /v1/pass gives.</summary>
        [JsonProperty("pass_reasons")]
        public List<ReasonInfo> PassReasons { get; set; }
        /// <summary>Of the cards that POST /v1/card plays.</summary>
        [JsonProperty("card_reasons")]
        public List<ReasonInfo> CardReasons { get; set; }
        /// <summary>Of the choices in a review.</summary>
        [JsonProperty("review_reasons")]
        public List<ReasonInfo> ReviewReasons { get; set; }
        /// <summary>Why a nil is ruled out, and nil rules in words.</summary>
        [JsonProperty("nil_reasons")]
        public List<ReasonInfo> NilReasons { get; set; }
        /// <summary>Of the decisions of POST /v1/bid/blind.</summary>
        [JsonProperty("blind_nil_reasons")]
        public List<ReasonInfo> BlindNilReasons { get; set; }
        [JsonProperty("numbers")]
        public Dictionary<string, ReasonNumber> Numbers { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>A result that was not counted.</summary>
    public sealed partial class RefusedResult
    {
        /// <summary>Its place among the results.</summary>
        [JsonProperty("index")]
        public long Index { get; set; }
        /// <summary>Values: 422, 500.</summary>
        [JsonProperty("status")]
        public long Status { get; set; }
        [JsonProperty("body")]
        public Problem Body { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>How many tricks the hand takes. bis and winprob give the tricks of high cards, spades and ruffs. The
    /// other policies give the tricks of each suit.</summary>
    public sealed partial class Regular
    {
        /// <summary>Tricks.</summary>
        [JsonProperty("estimate")]
        public double Estimate { get; set; }
        /// <summary>The estimate as a whole number of tricks that can be bid.</summary>
        [JsonProperty("takes")]
        public long Takes { get; set; }
        /// <summary>Tricks added to the estimate by the policy's options or the rules.</summary>
        [JsonProperty("offset")]
        public double Offset { get; set; }
        /// <summary>Tricks by high cards of hearts, diamonds and clubs.</summary>
        [JsonProperty("side_high")]
        public Dictionary<string, double> SideHigh { get; set; }
        /// <summary>Tricks by high spades.</summary>
        [JsonProperty("spade_high")]
        public double? SpadeHigh { get; set; }
        /// <summary>Tricks by the length in spades.</summary>
        [JsonProperty("spade_long")]
        public double? SpadeLong { get; set; }
        /// <summary>Tricks won with spades in short side suits (ruffs).</summary>
        [JsonProperty("ruffs")]
        public double? Ruffs { get; set; }
        /// <summary>Tricks added for the bids made so far.</summary>
        [JsonProperty("previous_bids_factor")]
        public double? PreviousBidsFactor { get; set; }
        /// <summary>Tricks by suit.</summary>
        [JsonProperty("suits")]
        public Dictionary<string, double> Suits { get; set; }
        /// <summary>Tricks added for short suits.</summary>
        [JsonProperty("shape")]
        public double? Shape { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>How many results were accepted, and what is wrong with the others.</summary>
    public sealed partial class ResultsAnswer
    {
        [JsonProperty("accepted")]
        public long Accepted { get; set; }
        [JsonProperty("refused")]
        public List<RefusedResult> Refused { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>What each decision of a round cost its player.</summary>
    public sealed partial class ReviewAnswer
    {
        /// <summary>In the order of time: bids, passes, cards.</summary>
        [JsonProperty("decisions")]
        public List<ReviewedDecision> Decisions { get; set; }
        /// <summary>By seat.</summary>
        [JsonProperty("summary")]
        public List<ReviewSummary> Summary { get; set; }
        [JsonProperty("cards_reviewed")]
        public bool CardsReviewed { get; set; }
        /// <summary>Why the cards are not reviewed: the server does not search. Values: no-processes.</summary>
        [JsonProperty("not_reviewed")]
        public string NotReviewed { get; set; }
        /// <summary>The policy that judged the bids.</summary>
        [JsonProperty("policy")]
        public string Policy { get; set; }
        /// <summary>The card player whose search judged the cards.</summary>
        [JsonProperty("player")]
        public string Player { get; set; }
        /// <summary>Number of random deals on which each card was tried.</summary>
        [JsonProperty("deals")]
        public long? Deals { get; set; }
        /// <summary>Version of the tables that the answer was made with.</summary>
        [JsonProperty("tables")]
        public string Tables { get; set; }
        /// <summary>The fields that the request left out, as dotted names. `rules.bag_limit=10, error 0.6` means: the
        /// win table in use was made for bag_limit 10 and not for these rules, so win probabilities are wrong by 0.6
        /// percentage points on average. `error not measured`: the error is not known.</summary>
        [JsonProperty("assumed")]
        public List<string> Assumed { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>A reason in a review: how the choice compares with the best one, then why the best choice is good. It
    /// has the numbers of its sentence, which addresses the player. GET /v1/reasons has the sentences.</summary>
    public sealed partial class ReviewReason
    {
        /// <summary>Values: none-better, only-choice, hand-not-seen, no-deal-fits, better-bid, nil-better, nil-worse,
        /// better-pass, usual-pass, better-card, bid, bid-nil, bid-blind-nil, wins, wins-nil, tricks, hardly-a-trick,
        /// at-least-one, tricks-left, certain-tricks, simple-count, partner-bid, partner-nil, partner-to-bid,
        /// partner-alone, partner-alone-to-bid, partner-nil-makes, their-nil, alone, opposite-as-partner, makes,
        /// other-number, lower, lower-bags, other-number-wins, best-number, too-close, close, better, better-nil,
        /// no-other-bid, nil-makes, nil-wins-less, nil-too-close, nil-above-threshold, nil-below-threshold, nil-pass,
        /// nil-pass-one, nil-by-simple-rule, weak-spades, weak-hearts, weak-diamonds, weak-clubs, weak-four-spades,
        /// no-nil-partner, no-nil-ace-of-spades, no-nil-king-queen, no-nil-three-high, no-nil-four-spades,
        /// no-nil-honour, no-nil-switched-off, no-nil-rules, no-nil-big-joker, no-nil-joker-ace,
        /// no-nil-three-above-jack, no-nil-joker-honour, counts-double, theirs-counts-double, we-reach-goal,
        /// they-reach-goal, both-reach-goal, others-to-bid, would-win, would-win-nil, would-lose, loses-if-set,
        /// loses-if-nil-fails, bags, their-bags, opponents-nil, complete-to-14, close-race, desperate-nil,
        /// regular-wins-too, last-seat-one-less, big5-signal, big5-refusal, big5-answer, big6-signal, big6-refusal,
        /// big6-answer, mirror, whiz, whiz-strict, suicide, ten-for-200, not-allowed, nil-not-allowed, not-legal,
        /// nil-not-legal, style, misjudges, misjudges-nil, forgets-nils, draws, full-strength, full-strength-nil,
        /// full-strength-same, top-spade, spade, empties-suit, high, low-of-suit, low, lowest-left, low-spade,
        /// only-card, keep-nil, cover-nil, cover-later, lead-safe, lead-risky, attack-nil, under-nil, attack-later,
        /// nil-beaten, nil-safe, contract, own-contract, wants-tricks, no-tricks, set, set-certain, set-one, enough,
        /// enough-no-bags, sure, own-share, hopeless, failed-nil, overlooks, search-better, search-kept, net-better,
        /// lead-top, lead, win, win-sure, win-now, ruff, win-trump, side-wins, partner-wins, partner-ahead,
        /// nil-in-danger, lose, discard.</summary>
        [JsonProperty("code")]
        public string Code { get; set; }
        [JsonProperty("sentence")]
        public string Sentence { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>The grades of one player.</summary>
    public sealed partial class ReviewSummary
    {
        [JsonProperty("seat")]
        public int Seat { get; set; }
        /// <summary>Number of decisions with a grade.</summary>
        [JsonProperty("graded")]
        public long Graded { get; set; }
        /// <summary>Number of decisions by grade.</summary>
        [JsonProperty("grades")]
        public Dictionary<string, long> Grades { get; set; }
        /// <summary>Win probability lost by a graded decision on average.</summary>
        [JsonProperty("mean_loss")]
        public double MeanLoss { get; set; }
        /// <summary>Sum of these losses.</summary>
        [JsonProperty("total_loss")]
        public double TotalLoss { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>A bid, a pass or a card, judged by what its player could know at the time.</summary>
    public sealed partial class ReviewedDecision
    {
        [JsonProperty("seat")]
        public int Seat { get; set; }
        /// <summary>Values: bid, pass, card.</summary>
        [JsonProperty("kind")]
        public string Kind { get; set; }
        /// <summary>The choice: a number, nil or blind_nil; a card; or the cards given, with spaces between.</summary>
        [JsonProperty("choice")]
        public string Choice { get; set; }
        /// <summary>The best choice; the player's own if no other is clearly better.</summary>
        [JsonProperty("best")]
        public string Best { get; set; }
        /// <summary>Probability that the player's side wins the game after the choice; null: not known.</summary>
        [JsonProperty("p_win")]
        public double? PWin { get; set; }
        /// <summary>The same after the best choice.</summary>
        [JsonProperty("best_p_win")]
        public double? BestPWin { get; set; }
        /// <summary>What the choice cost in win probability; null: not known.</summary>
        [JsonProperty("loss")]
        public double? Loss { get; set; }
        /// <summary>Standard error of the loss; left out if not measured.</summary>
        [JsonProperty("error")]
        public double? Error { get; set; }
        /// <summary>Null if there was no other choice, or if the loss is not known. `reasons` say which. Values: best,
        /// good, inaccuracy, mistake, blunder.</summary>
        [JsonProperty("grade")]
        public string Grade { get; set; }
        [JsonProperty("reasons")]
        public List<ReviewReason> Reasons { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>A rule: its JSON type, its default, the accepted values and its meaning.</summary>
    public sealed partial class RuleField
    {
        /// <summary>Values: boolean, integer, string.</summary>
        [JsonProperty("type")]
        public string Type { get; set; }
        [JsonProperty("default")]
        public object Default { get; set; }
        [JsonProperty("supported")]
        public string Supported { get; set; }
        [JsonProperty("meaning")]
        public string Meaning { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>A preset and the rules that differ from it. GET /v1/rules lists all with what each accepts. Upper and
    /// lower case are equal.</summary>
    public sealed partial class RuleSet
    {
        /// <summary>The rule set that the other fields change. Default: classic. Values: classic, bis-paper, short,
        /// quick, single-nil, blind-nil, no-bags, five-bags, nil-50, board-4, ten-for-200, cutthroat, mirror, whiz,
        /// whiz-strict, suicide, jokers, jokers-deuce, jjdd, pass-2, pass-4.</summary>
        [JsonProperty("preset")]
        public string Preset { get; set; }
        /// <summary>Whether a policy that needs a win table may use the one for the most similar rules. If it does,
        /// `assumed` names the rules that differ. Default: true.</summary>
        [JsonProperty("approximate")]
        public bool? Approximate { get; set; }
        /// <summary>Points at which a side wins the game. Default: the preset's value.</summary>
        [JsonProperty("win")]
        public int? Win { get; set; }
        /// <summary>Points at or below which a side loses the game; null: no losing goal. Default: the preset's
        /// value.</summary>
        [JsonProperty("lose")]
        public int? Lose { get; set; }
        /// <summary>Points won for a nil that is made and lost for one that fails. Default: the preset's
        /// value.</summary>
        [JsonProperty("nil_points")]
        public int? NilPoints { get; set; }
        /// <summary>Points won for a blind nil that is made and lost for one that fails. Default: the preset's
        /// value.</summary>
        [JsonProperty("blind_nil_points")]
        public int? BlindNilPoints { get; set; }
        /// <summary>Whether both partners may bid nil in the same round. Default: the preset's value.</summary>
        [JsonProperty("double_nil")]
        public bool? DoubleNil { get; set; }
        /// <summary>Whether blind nil, a nil bid before seeing the hand, is allowed. Default: the preset's
        /// value.</summary>
        [JsonProperty("blind_nil")]
        public bool? BlindNil { get; set; }
        /// <summary>Points that a side must be behind to bid blind. Default: the preset's value.</summary>
        [JsonProperty("blind_nil_deficit")]
        public int? BlindNilDeficit { get; set; }
        /// <summary>Whether overtricks count as bags, one point each, with a penalty for too many. Default: the
        /// preset's value.</summary>
        [JsonProperty("bags")]
        public bool? Bags { get; set; }
        /// <summary>Number of bags that costs the bag penalty. Default: the preset's value.</summary>
        [JsonProperty("bag_limit")]
        public int? BagLimit { get; set; }
        /// <summary>Points lost each time that the bag limit is reached. Default: the preset's value.</summary>
        [JsonProperty("bag_penalty")]
        public int? BagPenalty { get; set; }
        /// <summary>What the tricks of a failed nil are: bags, tricks towards the partner's contract, or nothing.
        /// Default: the preset's value. Values: bags, contract, none.</summary>
        [JsonProperty("failed_nil_tricks")]
        public string FailedNilTricks { get; set; }
        /// <summary>Smallest bid, in tricks, that is not a nil; 0 and 1 allow the same bids. Default: the preset's
        /// value.</summary>
        [JsonProperty("min_bid")]
        public int? MinBid { get; set; }
        /// <summary>Smallest contract of a side, in tricks; a nil adds nothing to it. Default: the preset's
        /// value.</summary>
        [JsonProperty("team_min")]
        public int? TeamMin { get; set; }
        /// <summary>Largest contract of a side, in tricks; null: no limit. Default: the preset's value.</summary>
        [JsonProperty("team_max")]
        public int? TeamMax { get; set; }
        /// <summary>Whether a contract of exactly ten tricks wins or loses 200 points. Default: the preset's
        /// value.</summary>
        [JsonProperty("ten_for_200")]
        public bool? TenFor200 { get; set; }
        /// <summary>The variant of the game: who plays together, and how bids are made. Default: the preset's value.
        /// Values: partnership, cutthroat, mirror, whiz, whiz_strict, suicide, jokers.</summary>
        [JsonProperty("variant")]
        public string Variant { get; set; }
        /// <summary>The deck; null: deck jokers in variant jokers, the standard deck in other variants. Default: the
        /// preset's value. Values: jokers, jokers-deuce, jjdd, jjdd-spade.</summary>
        [JsonProperty("deck")]
        public string Deck { get; set; }
        /// <summary>Number of cards that a nil bidder and partner each give to the other after the bidding. Default:
        /// the preset's value.</summary>
        [JsonProperty("nil_pass")]
        public int? NilPass { get; set; }
        /// <summary>Number of cards that a blind nil bidder and partner each give to the other after the bidding.
        /// Default: the preset's value.</summary>
        [JsonProperty("blind_nil_pass")]
        public int? BlindNilPass { get; set; }
        /// <summary>Whether the nil bidder gives first, so that partner sees those cards before giving. Default: the
        /// preset's value.</summary>
        [JsonProperty("nil_passes_first")]
        public bool? NilPassesFirst { get; set; }
        /// <summary>Whether nil may be bid. Default: the preset's value.</summary>
        [JsonProperty("nil")]
        public bool? Nil { get; set; }
        /// <summary>Points of each bag, before the bag penalty; a game without the penalty has a bag_penalty of 0.
        /// Default: the preset's value.</summary>
        [JsonProperty("bag_points")]
        public int? BagPoints { get; set; }
        /// <summary>What a set contract costs: its own points, ten points for each missing trick, or nothing. Default:
        /// the preset's value. Values: contract, missing, none.</summary>
        [JsonProperty("set_points")]
        public string SetPoints { get; set; }
        /// <summary>Points that a side wins in addition if it takes all 13 tricks. Default: the preset's
        /// value.</summary>
        [JsonProperty("slam_points")]
        public int? SlamPoints { get; set; }
        /// <summary>If both partners bid nil, not blind: points won if both make it, lost otherwise; null: two nils.
        /// Default: the preset's value.</summary>
        [JsonProperty("double_nil_points")]
        public int? DoubleNilPoints { get; set; }
        /// <summary>Whether the last bidder may not bid the number with which the four bids sum to 13. Default: the
        /// preset's value.</summary>
        [JsonProperty("sum_not_13")]
        public bool? SumNot13 { get; set; }
        /// <summary>When spades may be led: after a spade was played (or with spades only), or at any time. Default:
        /// the preset's value. Values: broken, any.</summary>
        [JsonProperty("spades_lead")]
        public string SpadesLead { get; set; }
        /// <summary>The first lead: any card of the first bidder, or the lowest club of the seat that holds it.
        /// Default: the preset's value. Values: any, lowest_club.</summary>
        [JsonProperty("first_lead")]
        public string FirstLead { get; set; }
        /// <summary>Whether spades may be played to the first trick by a seat that has other cards. Default: the
        /// preset's value.</summary>
        [JsonProperty("first_trick_spades")]
        public bool? FirstTrickSpades { get; set; }
        /// <summary>Smallest number that may be bid before seeing the hand, which doubles the points of the side's
        /// contract; null: none. Default: the preset's value.</summary>
        [JsonProperty("blind_min")]
        public int? BlindMin { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>The presets with all their values, the rules, and which of them a variant fixes.</summary>
    public sealed partial class RulesAnswer
    {
        [JsonProperty("default")]
        public string Default { get; set; }
        [JsonProperty("presets")]
        public Dictionary<string, RuleSet> Presets { get; set; }
        /// <summary>What each preset is.</summary>
        [JsonProperty("descriptions")]
        public Dictionary<string, string> Descriptions { get; set; }
        [JsonProperty("fields")]
        public Dictionary<string, RuleField> Fields { get; set; }
        /// <summary>Rules with only one accepted value in a variant; any other is refused.</summary>
        [JsonProperty("fixed_by_variant")]
        public Dictionary<string, object> FixedByVariant { get; set; }
        /// <summary>The decks; `standard` is the usual one.</summary>
        [JsonProperty("decks")]
        public Dictionary<string, DeckInfo> Decks { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>What a search found.</summary>
    public sealed partial class SearchFigures
    {
        /// <summary>Random deals that were played.</summary>
        [JsonProperty("deals")]
        public long Deals { get; set; }
        /// <summary>Highest p_win first. The first is not always the card played: the card of the rules is kept unless
        /// another is clearly better. Equivalent cards are listed once.</summary>
        [JsonProperty("cards")]
        public List<TriedCard> Cards { get; set; }
        /// <summary>The policy that all players were assumed to bid by.</summary>
        [JsonProperty("policy")]
        public string Policy { get; set; }
        /// <summary>Version of the tables that the answer was made with.</summary>
        [JsonProperty("tables")]
        public string Tables { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>Options that tables give to a policy in a variant. A policy text with such an option keeps its
    /// own.</summary>
    public sealed partial class TableOptions
    {
        [JsonProperty("policy")]
        public string Policy { get; set; }
        [JsonProperty("variant")]
        public string Variant { get; set; }
        /// <summary>As in a policy text.</summary>
        [JsonProperty("options")]
        public string Options { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>An open table set, which a request can name in `tables`.</summary>
    public sealed partial class TableSetInfo
    {
        [JsonProperty("version")]
        public string Version { get; set; }
        [JsonProperty("sha256")]
        public string Sha256 { get; set; }
        /// <summary>Empty: only by name.</summary>
        [JsonProperty("roles")]
        public List<string> Roles { get; set; }
        /// <summary>What it gives to policies. Empty: nothing.</summary>
        [JsonProperty("options")]
        public List<TableOptions> Options { get; set; }
        /// <summary>Why it can't be used any longer.</summary>
        [JsonProperty("changed")]
        public string Changed { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>The tables that answer by default.</summary>
    public sealed partial class TablesInfo
    {
        [JsonProperty("version")]
        public string Version { get; set; }
        [JsonProperty("sha256")]
        public string Sha256 { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>A card that was tried on random deals. A card that is clearly worse is dropped early, so its number of
    /// deals is smaller. `p_win` is null if no deal was tried, because all legal cards are equivalent, or because no
    /// deal fits what is known.</summary>
    public sealed partial class TriedCard
    {
        [JsonProperty("card")]
        public string Card { get; set; }
        /// <summary>Number of deals on which it was tried.</summary>
        [JsonProperty("deals")]
        public long Deals { get; set; }
        /// <summary>Estimated win probability of the player's side after this card.</summary>
        [JsonProperty("p_win")]
        public double? PWin { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>Microseconds of one decision on a shared core, a median. Machines differ; the ratios differ
    /// less.</summary>
    public sealed partial class TypicalTime
    {
        /// <summary>With explain false.</summary>
        [JsonProperty("plain_us")]
        public double PlainUs { get; set; }
        /// <summary>With explain true.</summary>
        [JsonProperty("explained_us")]
        public double ExplainedUs { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>The versions of the code and of the tables.</summary>
    public sealed partial class VersionAnswer
    {
        [JsonProperty("service")]
        public string Service { get; set; }
        [JsonProperty("python")]
        public string Python { get; set; }
        /// <summary>Null until they are mapped.</summary>
        [JsonProperty("tables")]
        public TablesInfo Tables { get; set; }
        [JsonProperty("table_sets")]
        public List<TableSetInfo> TableSets { get; set; }
        /// <summary>The share of the callers that the canary answers.</summary>
        [JsonProperty("canary_share")]
        public double CanaryShare { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>How often a policy wins games against another one, measured in the arena.</summary>
    public sealed partial class WinRate
    {
        [JsonProperty("opponent")]
        public string Opponent { get; set; }
        [JsonProperty("win_percent")]
        public double WinPercent { get; set; }
        /// <summary>The 95% interval: low, high.</summary>
        [JsonProperty("interval_percent")]
        public List<double> IntervalPercent { get; set; }
        /// <summary>The rules of the games, such as the goal: changes to preset classic.</summary>
        [JsonProperty("rules")]
        public RuleSet Rules { get; set; }
        /// <summary>Who played the cards on both sides, with its version.</summary>
        [JsonProperty("card_player")]
        public string CardPlayer { get; set; }
        /// <summary>Duplicate pairs: each deal was played twice, with the sides swapped.</summary>
        [JsonProperty("pairs")]
        public long Pairs { get; set; }
        /// <summary>Version of the tables that the answer was made with.</summary>
        [JsonProperty("tables")]
        public string Tables { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>One position: a hand, the bids before it, the score and the rules.</summary>
    public sealed partial class BidRequest
    {
        /// <summary>The rules of the game. Default: preset classic.</summary>
        [JsonProperty("rules")]
        public RuleSet Rules { get; set; }
        /// <summary>13 cards, or one PBN text</summary>
        [JsonProperty("hand")]
        public object Hand { get; set; }
        /// <summary>The bids made so far, first bidder first. Nil is 0; blind bids such as blind_nil and blind_6 only
        /// where the rules allow them.</summary>
        [JsonProperty("previous_bids")]
        public List<object> PreviousBids { get; set; }
        /// <summary>Place in the bidding order: the number of previous bids. It may be left out; if it is present and
        /// wrong, the request is refused, because then a bid is missing or there is one too many.</summary>
        [JsonProperty("seat")]
        public int? Seat { get; set; }
        /// <summary>The score before the round. Default: all 0.</summary>
        [JsonProperty("scores")]
        public Scores Scores { get; set; }
        /// <summary>The convention that both partners play. Upper and lower case are equal. Only bis plays conventions,
        /// and only in variant partnership. Default: the policy's option. Values: none, big5, big6, auto.</summary>
        [JsonProperty("convention")]
        public string Convention { get; set; }
        /// <summary>Who bids: best (the strongest for the rules), bis, rb, ms, io, winprob, with options as in
        /// bis:endgame=off. Upper and lower case are equal. GET /v1/policies describes them. Default: bis.</summary>
        [JsonProperty("policy")]
        public string Policy { get; set; }
        /// <summary>The explanation in the answer. true: everything. false: none. brief: only the main reasons, and the
        /// win probability if the policy computes one. curve: like true, plus the success curve of a nil in this
        /// auction. Default: true. Values: brief, curve.</summary>
        [JsonProperty("explain")]
        public object Explain { get; set; }
        /// <summary>The answer is always one of these. No blind bid is chosen, because the hand has been seen. Default:
        /// every bid that the rules allow.</summary>
        [JsonProperty("legal_bids")]
        public List<object> LegalBids { get; set; }
        /// <summary>Seed of the random numbers of a level below 5. Default: made from the position.</summary>
        [JsonProperty("seed")]
        public long? Seed { get; set; }
        /// <summary>Strength: 5 is full strength, a lower level misjudges hands as people do. Default: 5.</summary>
        [JsonProperty("level")]
        public int? Level { get; set; }
        /// <summary>Bid more or fewer tricks or nils. Default: the policy's own.</summary>
        [JsonProperty("style")]
        public Style Style { get; set; }
        /// <summary>How the other players bid, as far as it is known. winprob uses it. Default: unknown.</summary>
        [JsonProperty("players")]
        public Players Players { get; set; }
        /// <summary>Version of the tables that decide, one of table_sets in GET /version; for A/B tests. Default:
        /// chosen by the service.</summary>
        [JsonProperty("tables")]
        public string Tables { get; set; }
        /// <summary>The caller's name for the game, the same in all its rounds. While new tables are tried on a share
        /// of the callers, all requests of a game get the same tables. Default: the API key counts as one
        /// game.</summary>
        [JsonProperty("game")]
        public string Game { get; set; }
        /// <summary>The caller's name for the round, the same in all requests and results of a round and in no other.
        /// It is used only if the operator has set a decision log. It must not name a person.</summary>
        [JsonProperty("round_id")]
        public string RoundId { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>Up to 512 requests; a request with a fault gets its own error and does not affect the others.</summary>
    public sealed partial class BidsRequest
    {
        [JsonProperty("requests")]
        public List<BidRequest> Requests { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>A position before the hand is seen.</summary>
    public sealed partial class BlindRequest
    {
        /// <summary>The rules of the game. Default: preset classic.</summary>
        [JsonProperty("rules")]
        public RuleSet Rules { get; set; }
        /// <summary>The bids made so far, first bidder first. Nil is 0; blind bids such as blind_nil and blind_6 only
        /// where the rules allow them.</summary>
        [JsonProperty("previous_bids")]
        public List<object> PreviousBids { get; set; }
        /// <summary>Place in the bidding order: the number of previous bids. It may be left out; if it is present and
        /// wrong, the request is refused, because then a bid is missing or there is one too many.</summary>
        [JsonProperty("seat")]
        public int? Seat { get; set; }
        /// <summary>The score before the round. Default: all 0.</summary>
        [JsonProperty("scores")]
        public Scores Scores { get; set; }
        /// <summary>The convention that both partners play. Upper and lower case are equal. Only bis plays conventions,
        /// and only in variant partnership. Default: the policy's option. Values: none, big5, big6, auto.</summary>
        [JsonProperty("convention")]
        public string Convention { get; set; }
        /// <summary>Who bids: best (the strongest for the rules), bis, rb, ms, io, winprob, with options as in
        /// bis:endgame=off. Upper and lower case are equal. GET /v1/policies describes them. Default: bis.</summary>
        [JsonProperty("policy")]
        public string Policy { get; set; }
        /// <summary>Seed that decides whether the fourth seat bids blind nil. Default: made from the request.</summary>
        [JsonProperty("seed")]
        public long? Seed { get; set; }
        /// <summary>Version of the tables that decide, one of table_sets in GET /version; for A/B tests. Default:
        /// chosen by the service.</summary>
        [JsonProperty("tables")]
        public string Tables { get; set; }
        /// <summary>The caller's name for the game, the same in all its rounds. While new tables are tried on a share
        /// of the callers, all requests of a game get the same tables. Default: the API key counts as one
        /// game.</summary>
        [JsonProperty("game")]
        public string Game { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>A round in progress, as seen by the player whose turn it is.</summary>
    public sealed partial class CardRequest
    {
        /// <summary>The rules of the game. Default: preset classic.</summary>
        [JsonProperty("rules")]
        public RuleSet Rules { get; set; }
        /// <summary>13 cards, or one PBN text</summary>
        [JsonProperty("hand")]
        public object Hand { get; set; }
        /// <summary>All bids, first bidder first.</summary>
        [JsonProperty("bids")]
        public List<object> Bids { get; set; }
        /// <summary>The player's place in the bidding order.</summary>
        [JsonProperty("seat")]
        public int Seat { get; set; }
        /// <summary>The score before the round. Default: all 0.</summary>
        [JsonProperty("scores")]
        public Scores Scores { get; set; }
        /// <summary>The cards that the player gave to partner after the bidding.</summary>
        [JsonProperty("given")]
        public List<string> Given { get; set; }
        /// <summary>The cards that the player got from partner.</summary>
        [JsonProperty("received")]
        public List<string> Received { get; set; }
        /// <summary>The tricks so far, each in order of play. The last one may be incomplete or empty. Seat 0 leads the
        /// first trick (with rules.first_lead lowest_club, the seat that holds the lowest club), and the winner of a
        /// trick leads the next one. Default: none.</summary>
        [JsonProperty("tricks")]
        public List<List<string>> Tricks { get; set; }
        /// <summary>The card player. search@1 and search@3 play each card on random deals; servers offer them only if
        /// their operator wants it. distilled@1 learned from a search; its cards depend on the tables. It knows rules
        /// that differ from classic only in the goals, in the bids that are allowed, and in the points of blind bids
        /// and double nils. srp@4 plays by rules, and solo@2 does in cutthroat. best: search@3 if the server has it and
        /// it answers before the deadline, otherwise distilled@1 at levels 5 and 4 if it knows the rules, otherwise the
        /// player by rules. Default: best. Values: best, search@1, search@3, distilled@1, srp@4, solo@2.</summary>
        [JsonProperty("player")]
        public string Player { get; set; }
        /// <summary>A search: the number of random deals, which search@1 never exceeds. search@3 takes as long on
        /// average, with up to four times as many. Default, by level: 1000 (5), 75 (4), 25 (3), 6 (2).</summary>
        [JsonProperty("deals")]
        public int? Deals { get; set; }
        /// <summary>A search: the policy that all players are assumed to bid by. Default: bis. Values: bis,
        /// best.</summary>
        [JsonProperty("policy")]
        public string Policy { get; set; }
        /// <summary>Strength: 5 is full strength. Below, a search has fewer deals; distilled@1 has only level 4, and
        /// sees only large gains; the weakest levels, and a player by rules, forget cards as people do. Default:
        /// 5.</summary>
        [JsonProperty("level")]
        public int? Level { get; set; }
        /// <summary>Seed of what a level below 5 forgets; send the same one during a round. Default: made from the hand
        /// and the bids.</summary>
        [JsonProperty("seed")]
        public long? Seed { get; set; }
        /// <summary>Version of the tables that decide, one of table_sets in GET /version; for A/B tests. Default:
        /// chosen by the service.</summary>
        [JsonProperty("tables")]
        public string Tables { get; set; }
        /// <summary>The caller's name for the game, the same in all its rounds. While new tables are tried on a share
        /// of the callers, all requests of a game get the same tables. Default: the API key counts as one
        /// game.</summary>
        [JsonProperty("game")]
        public string Game { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>Up to 256 requests; a request with a fault gets its own error.</summary>
    public sealed partial class CardsRequest
    {
        [JsonProperty("requests")]
        public List<CardRequest> Requests { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>What one player, or a spectator, knows of a round. A spectator has no hand and no seat.</summary>
    public sealed partial class InferenceItemRequest
    {
        /// <summary>The rules of the game. Default: preset classic.</summary>
        [JsonProperty("rules")]
        public RuleSet Rules { get; set; }
        /// <summary>The 13 cards that the player was dealt. A spectator leaves it out.</summary>
        [JsonProperty("hand")]
        public object Hand { get; set; }
        /// <summary>The bids made so far, first bidder first. Nil is 0.</summary>
        [JsonProperty("bids")]
        public List<object> Bids { get; set; }
        /// <summary>The player's place in the bidding order; null for a spectator.</summary>
        [JsonProperty("seat")]
        public int? Seat { get; set; }
        /// <summary>The score before the round; a spectator gives it as the first bidder. Default: all 0.</summary>
        [JsonProperty("scores")]
        public Scores Scores { get; set; }
        /// <summary>The policy that all players are assumed to bid by. Default: bis. Values: bis, best.</summary>
        [JsonProperty("policy")]
        public string Policy { get; set; }
        /// <summary>The cards that the player gave to partner after the bidding.</summary>
        [JsonProperty("given")]
        public List<string> Given { get; set; }
        /// <summary>The cards that the player got from partner.</summary>
        [JsonProperty("received")]
        public List<string> Received { get; set; }
        /// <summary>By seat, the cards that the seat has played; a seat without cards may be left out.</summary>
        [JsonProperty("played")]
        public Dictionary<string, List<string>> Played { get; set; }
        /// <summary>By seat, the suits that the seat has shown to be out of. Suits of which no card is unseen may be
        /// left out. As in cards, s or ♠ is S too.</summary>
        [JsonProperty("voids")]
        public Dictionary<string, List<string>> Voids { get; set; }
        /// <summary>Version of the tables that decide, one of table_sets in GET /version; for A/B tests. Default:
        /// chosen by the service.</summary>
        [JsonProperty("tables")]
        public string Tables { get; set; }
        /// <summary>The caller's name for the game, the same in all its rounds. While new tables are tried on a share
        /// of the callers, all requests of a game get the same tables. Default: the API key counts as one
        /// game.</summary>
        [JsonProperty("game")]
        public string Game { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>What one player, or a spectator, knows of a round, and how many deals to draw.</summary>
    public sealed partial class InferenceRequest
    {
        /// <summary>The rules of the game. Default: preset classic.</summary>
        [JsonProperty("rules")]
        public RuleSet Rules { get; set; }
        /// <summary>The 13 cards that the player was dealt. A spectator leaves it out.</summary>
        [JsonProperty("hand")]
        public object Hand { get; set; }
        /// <summary>The bids made so far, first bidder first. Nil is 0.</summary>
        [JsonProperty("bids")]
        public List<object> Bids { get; set; }
        /// <summary>The player's place in the bidding order; null for a spectator.</summary>
        [JsonProperty("seat")]
        public int? Seat { get; set; }
        /// <summary>The score before the round; a spectator gives it as the first bidder. Default: all 0.</summary>
        [JsonProperty("scores")]
        public Scores Scores { get; set; }
        /// <summary>The policy that all players are assumed to bid by. Default: bis. Values: bis, best.</summary>
        [JsonProperty("policy")]
        public string Policy { get; set; }
        /// <summary>The cards that the player gave to partner after the bidding.</summary>
        [JsonProperty("given")]
        public List<string> Given { get; set; }
        /// <summary>The cards that the player got from partner.</summary>
        [JsonProperty("received")]
        public List<string> Received { get; set; }
        /// <summary>By seat, the cards that the seat has played; a seat without cards may be left out.</summary>
        [JsonProperty("played")]
        public Dictionary<string, List<string>> Played { get; set; }
        /// <summary>By seat, the suits that the seat has shown to be out of. Suits of which no card is unseen may be
        /// left out. As in cards, s or ♠ is S too.</summary>
        [JsonProperty("voids")]
        public Dictionary<string, List<string>> Voids { get; set; }
        /// <summary>Version of the tables that decide, one of table_sets in GET /version; for A/B tests. Default:
        /// chosen by the service.</summary>
        [JsonProperty("tables")]
        public string Tables { get; set; }
        /// <summary>The caller's name for the game, the same in all its rounds. While new tables are tried on a share
        /// of the callers, all requests of a game get the same tables. Default: the API key counts as one
        /// game.</summary>
        [JsonProperty("game")]
        public string Game { get; set; }
        /// <summary>How many random deals of the unseen cards to draw. Default: 0.</summary>
        [JsonProperty("deals")]
        public int? Deals { get; set; }
        /// <summary>Seed of the deals. Default: 0.</summary>
        [JsonProperty("seed")]
        public long? Seed { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>Up to 64 requests without deals; a request with a fault gets its own error.</summary>
    public sealed partial class InferencesRequest
    {
        [JsonProperty("requests")]
        public List<InferenceItemRequest> Requests { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>A hand after the bidding, in a game in which a nil bidder and partner exchange cards.</summary>
    public sealed partial class PassRequest
    {
        /// <summary>The rules of the game, with nil_pass or blind_nil_pass.</summary>
        [JsonProperty("rules")]
        public RuleSet Rules { get; set; }
        /// <summary>13 cards, or one PBN text</summary>
        [JsonProperty("hand")]
        public object Hand { get; set; }
        /// <summary>All bids, first bidder first.</summary>
        [JsonProperty("bids")]
        public List<object> Bids { get; set; }
        /// <summary>Place of the hand in the bidding order.</summary>
        [JsonProperty("seat")]
        public int Seat { get; set; }
        /// <summary>The cards that partner has given, if rules.nil_passes_first is true and partner gives
        /// first.</summary>
        [JsonProperty("received")]
        public List<string> Received { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>How the others bid: like `bis`, by simple counts like `rb` and `ms`, like `winprob`, or
    /// weakly.</summary>
    public sealed partial class Players
    {
        /// <summary>The opponent who bids next. Default: unknown, or what the policy's option says. Values: unknown,
        /// bis, simple, winprob, weak.</summary>
        [JsonProperty("left")]
        public string Left { get; set; }
        /// <summary>The partner. Default: unknown, or what the policy's option says. Values: unknown, bis, simple,
        /// winprob, weak.</summary>
        [JsonProperty("partner")]
        public string Partner { get; set; }
        /// <summary>The opponent who bids before. Default: unknown, or what the policy's option says. Values: unknown,
        /// bis, simple, winprob, weak.</summary>
        [JsonProperty("right")]
        public string Right { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>The outcome of one bid: probabilities as its answer stated them, and what happened. An outcome without
    /// a stated probability is not counted, and only enters the decision log.</summary>
    public sealed partial class Result
    {
        /// <summary>`policy` of the answer, which is never best.</summary>
        [JsonProperty("policy")]
        public string Policy { get; set; }
        /// <summary>`tables` of the answer. Sets that are not open are counted as other.</summary>
        [JsonProperty("tables")]
        public string Tables { get; set; }
        /// <summary>Stated probability that the bidder's nil is made: `explanation.nil.probability`, or for winprob
        /// `nil_made` in the bid's `outcomes`.</summary>
        [JsonProperty("p_nil_made")]
        public double? PNilMade { get; set; }
        /// <summary>Whether the bidder made the nil.</summary>
        [JsonProperty("nil_made")]
        public bool? NilMade { get; set; }
        /// <summary>Stated probability that the side makes its contract: `made` in the bid's `outcomes`.</summary>
        [JsonProperty("p_contract_made")]
        public double? PContractMade { get; set; }
        /// <summary>Whether the side made its contract.</summary>
        [JsonProperty("contract_made")]
        public bool? ContractMade { get; set; }
        /// <summary>Stated probability that the side wins the game: `explanation.p_win`.</summary>
        [JsonProperty("p_win")]
        public double? PWin { get; set; }
        /// <summary>Whether the side won the game.</summary>
        [JsonProperty("won")]
        public bool? Won { get; set; }
        /// <summary>The caller's name for the round, the same in all requests and results of a round and in no other.
        /// It is used only if the operator has set a decision log. It must not name a person.</summary>
        [JsonProperty("round_id")]
        public string RoundId { get; set; }
        /// <summary>The bidder's place in the bidding order. Needed with round_id.</summary>
        [JsonProperty("seat")]
        public int? Seat { get; set; }
        /// <summary>All four bids, first bidder first, for the decision log.</summary>
        [JsonProperty("bids")]
        public List<object> Bids { get; set; }
        /// <summary>The tricks that each seat took, first bidder first, for the decision log.</summary>
        [JsonProperty("tricks")]
        public List<int> Tricks { get; set; }
        /// <summary>The caller's name for the game, the same in all its rounds. While new tables are tried on a share
        /// of the callers, all requests of a game get the same tables. Default: the API key counts as one
        /// game.</summary>
        [JsonProperty("game")]
        public string Game { get; set; }
        /// <summary>The number of the round in its game, from 0, for the decision log.</summary>
        [JsonProperty("round")]
        public int? Round { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>Up to 512 results; a faulty one is refused alone.</summary>
    public sealed partial class ResultsRequest
    {
        [JsonProperty("results")]
        public List<Result> Results { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>A finished round, with all cards. Seat 0 bids first, and leads the first trick if the rules name no
    /// other.</summary>
    public sealed partial class ReviewRequest
    {
        /// <summary>The rules of the game. Default: preset classic.</summary>
        [JsonProperty("rules")]
        public RuleSet Rules { get; set; }
        /// <summary>By seat: the cards dealt, before any pass.</summary>
        [JsonProperty("hands")]
        public List<object> Hands { get; set; }
        /// <summary>All bids, first bidder first.</summary>
        [JsonProperty("bids")]
        public List<object> Bids { get; set; }
        /// <summary>By seat: the cards given to partner after the bidding, null for a seat that gave none. Needed if
        /// the rules have a pass and a nil was bid.</summary>
        [JsonProperty("passed")]
        public List<List<string>> Passed { get; set; }
        /// <summary>All 52 cards in the order of play.</summary>
        [JsonProperty("plays")]
        public List<string> Plays { get; set; }
        /// <summary>Points before the round, with those of bags: of seats 0 and 2, then of seats 1 and 3. Default:
        /// 0.</summary>
        [JsonProperty("scores")]
        public List<int> Scores { get; set; }
        /// <summary>Bags since the last penalty: of seats 0 and 2, then of seats 1 and 3. Default: 0.</summary>
        [JsonProperty("bags")]
        public List<int> Bags { get; set; }
        /// <summary>The number of random deals on which each card is tried. Default: 64.</summary>
        [JsonProperty("deals")]
        public int? Deals { get; set; }
        /// <summary>The policy that all players are assumed to bid by, from which the deals follow. Default: bis.
        /// Values: bis, best.</summary>
        [JsonProperty("policy")]
        public string Policy { get; set; }
        /// <summary>Version of the tables that decide, one of table_sets in GET /version; for A/B tests. Default:
        /// chosen by the service.</summary>
        [JsonProperty("tables")]
        public string Tables { get; set; }
        /// <summary>The caller's name for the game, the same in all its rounds. While new tables are tried on a share
        /// of the callers, all requests of a game get the same tables. Default: the API key counts as one
        /// game.</summary>
        [JsonProperty("game")]
        public string Game { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>The score before the round: of two sides, or with variant cutthroat of the four seats.</summary>
    public sealed partial class Scores
    {
        /// <summary>Points of the bidder's side. Default: 0.</summary>
        [JsonProperty("us")]
        public int? Us { get; set; }
        /// <summary>Points of the other side. Default: 0.</summary>
        [JsonProperty("them")]
        public int? Them { get; set; }
        /// <summary>Bags of the bidder's side since the last penalty, fewer than rules.bag_limit. Default: 0.</summary>
        [JsonProperty("us_bags")]
        public int? UsBags { get; set; }
        /// <summary>Bags of the other side since the last penalty, fewer than rules.bag_limit. Default: 0.</summary>
        [JsonProperty("them_bags")]
        public int? ThemBags { get; set; }
        /// <summary>Variant cutthroat: points of the four seats, first bidder first. Default: four times 0.</summary>
        [JsonProperty("seats")]
        public List<int> Seats { get; set; }
        /// <summary>Variant cutthroat: bags since the last penalty of the four seats, first bidder first. Default: four
        /// times 0.</summary>
        [JsonProperty("bags")]
        public List<int> Bags { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }

    /// <summary>A preference added to a policy; 0: no preference.</summary>
    public sealed partial class Style
    {
        /// <summary>Bid fewer tricks (-1) or more (1). Default: the policy's own.</summary>
        [JsonProperty("aggression")]
        public double? Aggression { get; set; }
        /// <summary>Bid fewer nils (-1) or more (1). Default: the policy's own.</summary>
        [JsonProperty("nil_bias")]
        public double? NilBias { get; set; }
        /// <summary>Fields of later versions; in a request, fields to send as null.</summary>
        [JsonExtensionData]
        public IDictionary<string, JToken> MoreFields { get; set; } = new Dictionary<string, JToken>();
    }
}
