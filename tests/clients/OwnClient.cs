// Uses the source of clients/csharp. Arguments: service, service with a key, the key, bad service, fallback cases.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Spades;
using JsonObject = System.Collections.Generic.Dictionary<string, object>;

public static class OwnClient
{
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(30), Short = TimeSpan.FromMilliseconds(200);

    public static void Main(string[] arguments)
    {
        Run(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]).GetAwaiter().GetResult();
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

    private static JsonObject With(JsonObject request, string name, object value) =>
        new JsonObject(request) { [name] = value };

    private static async Task Run(string url, string keyedUrl, string key, string badUrl, string cases)
    {
        var client = new SpadesClient(url, timeout: Long);
        var request = new JsonObject { ["hand"] = "AKJ62.AQ.Q.K9543", ["previous_bids"] = new[] { 3, 1 }, ["seat"] = 2 };
        var round = new JsonObject { ["hand"] = request["hand"], ["bids"] = new[] { 3, 1, 5, 4 }, ["seat"] = 2 };
        var wrong = With(request, "seat", 3);
        var answer = await client.Bid(request, requestId: "table-17");
        Check(answer.Bid == 6 && answer.Kind == "regular" && answer.Policy == "bis", answer.Bid);
        Check(answer.Sentence.StartsWith("Bid 6") && answer.Fallback == null, answer.Sentence);
        var bids = await client.Bids(new JsonObject { ["requests"] = new List<object> { request, wrong } });
        var statuses = ((List<object>)bids["answers"]).Select(item => ((JsonObject)item)["status"]);
        Check(string.Join(",", statuses) == "200,422", string.Join(",", statuses));
        var blind = new JsonObject
        {
            ["previous_bids"] = new int[0], ["seat"] = 0, ["rules"] = new JsonObject { ["preset"] = "blind-nil" },
        };
        Check((await client.Blind(blind))["blind_nil"] is bool, "blind");
        var nil = With(With(round, "bids", new[] { 0, 1, 5, 4 }), "rules", new JsonObject { ["preset"] = "pass-2" });
        Check(((List<object>)(await client.PassCards(nil))["cards"]).Count == 2, "pass");
        var tricks = new[] { new[] { "KD", "2D", "QD", "6D" }, new[] { "4H", "5H" } };
        var lead = With(round, "tricks", tricks);
        Check((string)(await client.Card(lead))["card"] == "AH", "card");
        Check((await client.Cards(new JsonObject { ["requests"] = new[] { lead } })).ContainsKey("answers"), "cards");
        Check((await client.Inference(With(round, "deals", 1))).ContainsKey("deals"), "inference");
        Check((await client.Inferences(new JsonObject { ["requests"] = new[] { round } })).ContainsKey("answers"), "many");
        var result = new JsonObject
        {
            ["policy"] = "bis", ["tables"] = answer.Fields["tables"], ["p_nil_made"] = 0.7, ["nil_made"] = true,
        };
        Check((long)(await client.Results(new JsonObject { ["results"] = new[] { result } }))["accepted"] == 1, "results");
        Check(Json.Text(await client.ListPolicies(), "default") == "bis", "policies");
        Check((await client.ListRules()).ContainsKey("presets"), "rules");
        Check((await client.ListReasons()).ContainsKey("reasons"), "reasons");
        Check(Json.Text(await client.Version(), "service") != "", "version");

        var refused = (InvalidRequestException)await Failure(client.Bid(wrong));
        Check(refused.Faults[0].Pointer == "/seat" && refused.Faults[0].Code == "seat-mismatch", refused);
        Check(refused.Message.Contains("/seat: seat is 3 after 2 previous bids; accepted: 2"), refused.Message);
        var keyless = await Failure(new SpadesClient(keyedUrl, timeout: Long, fallback: SimpleBid.Of).Bid(request));
        Check(((ProblemException)keyless).Type == "/problems/unauthorized", keyless);
        Check((await new SpadesClient(keyedUrl, key, Long).Bid(request)).Bid == 6, "key");

        Check((await new SpadesClient(badUrl + "/once/csharp", timeout: Long).Bid(request)).Fallback == null, "Retry-After");
        var soon = new SpadesClient(badUrl + "/later/csharp", timeout: Long);
        Check((await soon.Bid(request)).Fallback == null, "without time for Retry-After");
        var busy = await Failure(new SpadesClient(badUrl + "/busy", timeout: TimeSpan.FromSeconds(0.5)).Bid(request));
        Check(((ProblemException)busy).RetryAfterSeconds == 1, busy);
        foreach (var kind in new[] { "silent", "busy", "html" })
        {
            var local = await new SpadesClient(badUrl + "/" + kind, fallback: SimpleBid.Of).Bid(request, Short);
            Check(local.Bid == 5 && local.Policy == "fallback" && local.Fallback != "", kind);
            Check(kind != "silent" || local.Fallback == "no answer in 200 ms", local.Fallback);
        }
        Check((await new SpadesClient("http://127.0.0.1:9", fallback: SimpleBid.Of).Bid(request)).Fallback != null, "gone");

        foreach (JsonObject one in (List<object>)Json.Read(File.ReadAllText(cases)))
            Check(SimpleBid.Of((JsonObject)one["request"]) == (long)one["bid"], Json.Write(one));
        Check(CardText.Parse("♠10") == "TS" && CardText.Parse("sq") == "QS" && CardText.Parse("bj") == "BJ", "cards");
        Check(CardText.FormatHand(new[] { "9C", "KS", "AS", "TD", "BJ" }) == "BAK..T.9", "hand as text");
        Check(string.Join(",", CardText.ParseHand("N:BA2.-.T.K9")) == "BJ,AS,2S,TD,KC,9C", "hand from text");
        foreach (var bad in new[] { "AKQ.J", "A.B..", "AA...", "1..." }) Check(Throws(() => CardText.ParseHand(bad)), bad);

        foreach (var text in new[] { "{\"a\":[1,-2.5,\"\\u00e9\\\"\\n\",true,false,null,{},[]]}", "\"\"", "0", "1E+16" })
            Check(Json.Write(Json.Read(Json.Write(Json.Read(text)))) == Json.Write(Json.Read(text)), text);
        Check((string)Json.Read("\"\\u00e9\\/\"") == "é/", "escapes");
        var nested = new string('[', 1000);
        foreach (var bad in new[] { "", "{", "[1", "[1,", "{\"a\" 1}", "tru", "1 2", "\"\\x\"", "\"a", "-", "[,]", nested })
            Check(Throws(() => Json.Read(bad)), bad);
    }

    private static bool Throws(Action action)
    {
        try
        {
            action();
        }
        catch (FormatException)
        {
            return true;
        }
        return false;
    }
}
