// Uses the source of clients/csharp. Arguments: service, service with a key, the key, bad service, and the files of fallback cases and URLs.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;
using Spades;

public static class OwnClient
{
    private static readonly JsonSerializerSettings WithoutNulls =
        new JsonSerializerSettings { NullValueHandling = NullValueHandling.Ignore };
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(30), Short = TimeSpan.FromMilliseconds(200);

    private static readonly string[] WrongTypes =
    {
        "bid-of-text", "bid-too-large", "item-without-status", "item-without-body", "item-of-a-list", "item-of-text",
        "item-too-large", "item-of-wrong-faults",
    };

    public static void Main(string[] arguments)
    {
        Run(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]).GetAwaiter().GetResult();
        Console.WriteLine("C# client: all good");
    }

    private static void Check(bool condition, object what)
    {
        if (!condition) throw new Exception(Convert.ToString(what));
    }

    private static async Task<SpadesException> Failure(Task call)
    {
        try
        {
            await call;
        }
        catch (SpadesException error)
        {
            return error;
        }
        throw new Exception("no error");
    }

    private static string Thrown(Action action)
    {
        try
        {
            action();
        }
        catch (Exception error)
        {
            return error.GetType().Name + " " + error.Message;
        }
        return "no error";
    }

    private static List<object> Bids(params object[] bids) => bids.ToList();

    private static BidRequest Request(int seat = 2) =>
        new BidRequest { Hand = "AKJ62.AQ.Q.K9543", PreviousBids = Bids(3, 1), Seat = seat };

    private static async Task Run(string url, string keyedUrl, string key, string badUrl, string cases, string urls)
    {
        var client = new SpadesClient(url, timeout: Long);
        var request = Request();
        var answer = await client.Bid(request, requestId: "table-17");
        Check(answer.Bid == 6 && answer.Kind == "regular" && answer.Policy == "bis", answer.Bid);
        Check(answer.Explanation.Sentence.StartsWith("Bid 6") && answer.Fallback == null, answer.Explanation.Sentence);
        Check(answer.MoreFields.Count == 0, "the contract has every field");
        var two = new BidsRequest { Requests = new List<BidRequest> { request, Request(3) } };
        var bids = (await client.Bids(two)).Answers;
        Check(bids[0].Answer.Bid == 6 && bids[0].Refused == null, bids[0].Status);
        Check(bids[1].Status == 422 && bids[1].Answer == null, bids[1].Status);
        Check(bids[1].Refused.Errors[0].Pointer == "/seat", bids[1].Refused.Detail);
        Check(ReferenceEquals(bids[0].Answer, bids[0].Answer), "the same answer at each access");
        Check(ReferenceEquals(bids[1].Refused, bids[1].Refused), "the same reason at each access");
        var kept = JsonConvert.SerializeObject(bids[0], WithoutNulls);
        Check(kept.StartsWith("{\"status\":200,\"body\":{\"bid\":6,"), kept);
        foreach (var kind in WrongTypes)
        {
            var wrong = new SpadesClient(badUrl + "/" + kind, timeout: Long, attempts: 1);
            var failure = await Failure(kind.StartsWith("bid") ? (Task)wrong.Bid(request) : wrong.Bids(two));
            Check(failure is NoAnswerException && failure.Message.StartsWith("the answer is {"), kind + ": " + failure);
        }
        var blind = new BlindRequest
        {
            PreviousBids = Bids(), Seat = 0, Rules = new RuleSet { Preset = "blind-nil" },
        };
        Check(!(await client.Blind(blind)).BlindNil, "blind");
        var nil = new PassRequest
        {
            Hand = request.Hand, Bids = Bids(0, 1, 5, 4), Seat = 2, Rules = new RuleSet { Preset = "pass-2" },
        };
        Check((await client.PassCards(nil)).Cards.Count == 2, "pass");
        var lead = new CardRequest { Hand = request.Hand, Bids = Bids(3, 1, 5, 4), Seat = 2 };
        lead.Tricks = new List<List<string>>
        {
            new List<string> { "KD", "2D", "QD", "6D" }, new List<string> { "4H", "KH" },
        };
        Check((await client.Card(lead)).Card == "AH", "card");
        var cards = await client.Cards(new CardsRequest { Requests = new List<CardRequest> { lead } });
        Check(cards.Answers[0].Answer.Card == "AH", "cards");
        var round = new InferenceRequest { Hand = request.Hand, Bids = Bids(3, 1, 5, 4), Seat = 2, Deals = 1 };
        Check((await client.Inference(round)).Deals.Count == 1, "inference");
        var one = new InferenceItemRequest { Hand = request.Hand, Bids = Bids(3, 1, 5, 4), Seat = 2 };
        var many = new InferencesRequest { Requests = new List<InferenceItemRequest> { one } };
        Check((await client.Inferences(many)).Answers[0].Answer.Seats.Count > 0, "inferences");
        const string Ranks = "AKQJT98765432";
        var finished = new ReviewRequest
        {
            Hands = new List<object> { Ranks + "...", "." + Ranks + "..", ".." + Ranks + ".", "..." + Ranks },
            Bids = Bids(13, 1, 0, 1),
            Plays = Ranks.SelectMany(rank => "SHDC".Select(suit => "" + rank + suit)).ToList(),
        };
        Check((await client.Review(finished)).Decisions[0].Choice == "13", "review");
        var result = new Result { Policy = "bis", Tables = answer.Tables, PNilMade = 0.7, NilMade = true };
        var results = new ResultsRequest { Results = new List<Result> { result } };
        Check((await client.Results(results)).Accepted == 1, "results");
        Check((await client.ListPolicies()).Default == "bis", "policies");
        Check((await client.ListRules()).Presets["classic"].Win == 500, "rules");
        Check((await client.ListReasons()).Reasons.Count > 0, "reasons");
        Check((await client.Version(requestId: "table-17")).Service != "", "version");

        var rules = new RuleSet { Preset = "short", Win = 250 };
        Check(JsonConvert.SerializeObject(rules, WithoutNulls) == "{\"preset\":\"short\",\"win\":250}", "left out");
        rules.MoreFields["lose"] = JValue.CreateNull();
        Check(JsonConvert.SerializeObject(rules, WithoutNulls).EndsWith(",\"lose\":null}"), "a null that is sent");
        Check((await client.Bid(new BidRequest { Hand = request.Hand, PreviousBids = Bids(), Seat = 0, Rules = rules }))
            .Fallback == null, "a null that is sent");

        var refused = (InvalidRequestException)await Failure(client.Bid(Request(3)));
        Check(refused.Faults[0].Pointer == "/seat" && refused.Faults[0].Code == "seat-mismatch", refused);
        Check(refused.Message.Contains("/seat: seat is 3 after 2 previous bids; accepted: 2"), refused.Message);
        var keyless = await Failure(new SpadesClient(keyedUrl, timeout: Long, fallback: SimpleBid.Of).Bid(request));
        Check(((ProblemException)keyless).Type == "/problems/unauthorized", keyless);
        Check((await new SpadesClient(keyedUrl, key, Long).Bid(request)).Bid == 6, "key");

        Check((await new SpadesClient(badUrl + "/once/csharp", timeout: Long).Bid(request)).Fallback == null, "Retry-After");
        var soon = new SpadesClient(badUrl + "/later/csharp", timeout: Long);
        Check((await soon.Bid(request)).Fallback == null, "without time for Retry-After");
        var busy = await Failure(new SpadesClient(badUrl + "/busy", timeout: Long, attempts: 2).Bid(request));
        Check(((ProblemException)busy).RetryAfterSeconds == 1, busy);
        var played = new List<string>();
        Action<SpadesException, BidRequest> onFallback = (error, asked) => played.Add(asked.Seat + " " + error.Message);
        foreach (var kind in new[] { "silent", "slow-body", "slow-head" })
        {
            var slow = new SpadesClient(badUrl + "/" + kind, fallback: SimpleBid.Of, onFallback: onFallback);
            var local = await slow.Bid(request, Short);
            Check(local.Fallback == "no answer in 200 ms" && played.Last() == "2 " + local.Fallback, local.Fallback);
        }
        foreach (var kind in new[] { "busy", "bad-gateway", "redirect", "missing", "forbidden", "page", "other-json" })
        {
            var broken = new SpadesClient(badUrl + "/" + kind, null, Long, 1, SimpleBid.Of, onFallback);
            var local = await broken.Bid(request);
            Check(local.Bid == 5 && local.Policy == "fallback" && played.Last() == "2 " + local.Fallback, kind);
            Check(!local.Fallback.StartsWith("no answer"), kind + ": " + local.Fallback);
        }
        var gone = new SpadesClient("http://127.0.0.1:9", fallback: SimpleBid.Of);
        Check((await gone.Bid(request)).Fallback != null, "gone");
        Check(played.Count == 10, played.Count);
        var stderr = Console.Error;
        var logged = new StringWriter();
        Console.SetError(logged);
        var thrower = new SpadesClient(
            badUrl + "/page", timeout: Long, fallback: SimpleBid.Of,
            onFallback: (error, asked) => throw new KeyNotFoundException("a counter"));
        Check((await thrower.Bid(request)).Bid == 5, "a hook that throws");
        Console.SetError(stderr);
        var line = "Spades: onFallback threw an exception: System.Collections.Generic.KeyNotFoundException: a counter";
        Check(logged.ToString().StartsWith(line), logged);

        var patient = new SpadesClient(url, timeout: TimeSpan.FromSeconds(120), fallback: SimpleBid.Of);
        var burst = await Task.WhenAll(Enumerable.Range(0, 1000).Select(_ => patient.Bid(Request())));
        var local1000 = burst.Where(bid => bid.Fallback != null).Select(bid => bid.Fallback).ToList();
        Check(burst.Length == 1000 && local1000.Count == 0, local1000.FirstOrDefault());

        var listed = JObject.Parse(File.ReadAllText(urls));
        foreach (var wrong in listed["wrong"].Select(text => (string)text).Concat(new string[] { null }))
        {
            var message = Thrown(() => new SpadesClient(wrong, fallback: SimpleBid.Of));
            Check(message.StartsWith("ArgumentException url is"), wrong + ": " + message);
        }
        foreach (var right in listed["right"]) new SpadesClient((string)right).Dispose();
        foreach (var wrong in new[] { "secret\n", "\nsecret", "sec\r\nret", " secret", "secret ", "s\u00e9cret", "" })
        {
            var message = Thrown(() => new SpadesClient(url, wrong, fallback: SimpleBid.Of));
            Check(message.StartsWith("ArgumentException key is empty, has") && !message.Contains("cret"), message);
        }
        var header = Thrown(() => client.Bid(request, requestId: "table\n17").GetAwaiter().GetResult());
        Check(header.StartsWith("ArgumentException requestId is empty, has"), header);
        foreach (var wrong in new[] { TimeSpan.Zero, TimeSpan.FromSeconds(-1), TimeSpan.MaxValue })
        {
            var message = Thrown(() => new SpadesClient(url, timeout: wrong));
            Check(message.StartsWith("ArgumentException timeout is"), message);
        }
        var once = Thrown(() => new SpadesClient(url, attempts: 0));
        Check(once.EndsWith("attempts is 0; accepted: 1 or more"), once);

        foreach (var test in JArray.Parse(File.ReadAllText(cases)))
            Check(SimpleBid.Of(test["request"].ToObject<BidRequest>()) == (int)test["bid"], test);
        Check(CardText.Parse("♠10") == "TS" && CardText.Parse("sq") == "QS" && CardText.Parse("bj") == "BJ", "cards");
        Check(CardText.FormatHand(new[] { "9C", "KS", "AS", "TD", "BJ" }) == "BAK..T.9", "hand as text");
        Check(string.Join(",", CardText.ParseHand("N:BA2.-.T.K9")) == "BJ,AS,2S,TD,KC,9C", "hand from text");
        foreach (var bad in new[] { "AKQ.J", "A.B..", "AA...", "1..." })
            Check(Thrown(() => CardText.ParseHand(bad)).StartsWith("FormatException"), bad);
    }
}
