// Cards, and a bid that needs no service; part of the C# client (SpadesClient.cs).

using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Spades
{
    /// <summary>Cards and hands as text. A card is such as "QS", "TH" (the ten), "BJ" or "LJ".</summary>
    public static class CardText
    {
        public const string Suits = "SHDC", Ranks = "AKQJT98765432";
        private const string Symbols = "♠♥♦♣";
        /// <summary>Spades first, high cards first.</summary>
        public static readonly IReadOnlyList<string> Deck = new[] { "BJ", "LJ" }
            .Concat(Suits.SelectMany(suit => Ranks.Select(rank => rank.ToString() + suit))).ToList();

        public static bool IsJoker(string card) => card == "BJ" || card == "LJ";

        /// <summary>Return a card in the form "QS"; read all spellings of the service, such as "sq" and "10h".</summary>
        public static string Parse(string text)
        {
            var plain = text.ToUpperInvariant().Replace("10", "T");
            for (var suit = 0; suit < Suits.Length; suit++) plain = plain.Replace(Symbols[suit], Suits[suit]);
            var turned = new string(plain.Reverse().ToArray());
            if (Deck.Contains(plain)) return plain;
            if (Deck.Contains(turned) && !IsJoker(turned)) return turned;
            throw new FormatException(
                "card is '" + text + "'; accepted: a rank (2 to 9, T or 10, J, Q, K, A) and a suit (S, H, D, C), BJ, LJ");
        }

        /// <summary>Return the cards of a PBN text or of a list of cards, spades first and high cards first.</summary>
        public static List<string> ParseHand(object hand)
        {
            var cards = hand is string text
                ? CardsOfPbn(text)
                : ((IEnumerable)hand).Cast<object>().Select(card => Parse(Convert.ToString(card))).ToList();
            var twice = cards.GroupBy(card => card).FirstOrDefault(same => same.Count() > 1);
            if (twice != null) throw new FormatException("hand has " + twice.Key + " twice; accepted: each card once");
            return Deck.Where(cards.Contains).ToList();
        }

        private static List<string> CardsOfPbn(string text)
        {
            var plain = text.Trim().ToUpperInvariant().Replace("10", "T");
            if (plain.Length > 1 && plain[1] == ':' && "NESW".IndexOf(plain[0]) >= 0) plain = plain.Substring(2).Trim();
            var suits = plain.Split('.');
            if (suits.Length != Suits.Length)
                throw new FormatException(
                    "hand is '" + text + "', with " + suits.Length + " suits; accepted: spades.hearts.diamonds.clubs");
            return suits.SelectMany((ranks, suit) => (ranks == "-" ? "" : ranks).Select(rank =>
                Parse(rank.ToString() + (suit == 0 && (rank == 'B' || rank == 'L') ? 'J' : Suits[suit])))).ToList();
        }

        /// <summary>Return a hand as a PBN text: the ranks of spades, hearts, diamonds and clubs with dots between.</summary>
        public static string FormatHand(object hand)
        {
            var cards = ParseHand(hand);
            return string.Join(".", Suits.Select(suit => new string(
                cards.Where(card => (IsJoker(card) ? 'S' : card[1]) == suit).Select(card => card[0]).ToArray())));
        }
    }

    /// <summary>
    /// A bid that needs no service, by the same rule as that of the Python client (clients/python/README.md). If your game
    /// has limits that it does not know, such as team_max, send legal_bids.
    /// </summary>
    public static class SimpleBid
    {
        /// <summary>Return the bid for a request, 0 for nil only if nothing else is legal.</summary>
        public static int Of(BidRequest request)
        {
            var bid = ByRules(request);
            if (request.LegalBids == null) return bid;
            var legal = request.LegalBids.Select(Tricks).ToList();
            var numbers = legal.Where(number => number > 0).OrderBy(number => number).ToList();
            if (numbers.Count == 0 || (bid == 0 && legal.Contains(0))) return 0;
            return numbers.OrderBy(number => Math.Abs(number - bid)).First();
        }

        private static int ByRules(BidRequest request)
        {
            var cards = CardText.ParseHand(request.Hand);
            var rules = request.Rules ?? new RuleSet();
            var variant = rules.Variant ?? rules.Preset ?? "";
            var before = request.PreviousBids;
            int? partner = before.Count > 1 ? Tricks(before[before.Count - 2]) : (int?)null;
            var jokers = cards.Count(CardText.IsJoker);
            var suits = CardText.Suits
                .Select(suit => cards.Where(card => !CardText.IsJoker(card) && card[1] == suit).ToList()).ToList();
            var spades = jokers + suits[0].Count;
            if (variant == "mirror" || variant == "whiz" || variant == "whiz-strict") return spades;
            if (variant == "suicide" && partner > 0) return 0;
            var aces = cards.Count(card => card[0] == 'A');
            var kings = suits.Count(suit => suit.Count > 1 && suit.Any(card => card[0] == 'K'));
            var tricks = jokers + aces + kings / 2 + Math.Max(0, spades - 3);
            var least = Number(rules.MinBid, 1);
            if (variant == "cutthroat") return Math.Max(least, tricks);
            var teamMin = Number(rules.TeamMin, variant == "suicide" || variant == "board-4" ? 4 : 0);
            if (partner != null || variant == "suicide") least = Math.Max(least, teamMin - (partner ?? 0));
            return Math.Max(least, Math.Min(tricks, 13 - (partner ?? 0)));
        }

        /// <summary>Return the tricks of a bid as a request writes it; both nils are 0.</summary>
        private static int Tricks(object bid) =>
            int.TryParse(Convert.ToString(bid, CultureInfo.InvariantCulture), out var tricks) ? tricks : 0;

        private static int Number(int? rule, int otherwise) => rule > 0 ? rule.Value : otherwise;
    }
}
