// The C# client of the Spades bidding service: copy the .cs files of this folder into a Unity project (Assets) or any
// other. It needs HttpClient and C# 7, and no packages. docs/reference/http.md has the fields of requests and answers.
//
// Version 0.1.0, which is that of the contract.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Spades
{
    using JsonObject = Dictionary<string, object>;

    /// <summary>There is no answer that can be used. `Temporary`: the same request may succeed later.</summary>
    public class SpadesException : Exception
    {
        public virtual bool Temporary => false;
        public SpadesException(string message, Exception cause = null) : base(message, cause) { }
    }

    /// <summary>The deadline passed, the connection failed, or the answer is not JSON.</summary>
    public class NoAnswerException : SpadesException
    {
        public override bool Temporary => true;
        public NoAnswerException(string message, Exception cause = null) : base(message, cause) { }
    }

    /// <summary>One fault of a request. The detail says what was found and what is accepted.</summary>
    public sealed class Fault
    {
        public readonly string Pointer, Code, Detail;

        public Fault(JsonObject fault)
        {
            Pointer = Json.Text(fault, "pointer");
            Code = Json.Text(fault, "code");
            Detail = Json.Text(fault, "detail");
        }

        public override string ToString() => Pointer + ": " + Detail;
    }

    /// <summary>The service answered with a problem (RFC 9457).</summary>
    public class ProblemException : SpadesException
    {
        public readonly int Status;
        public readonly string Type, Title, Detail;
        public readonly IReadOnlyList<Fault> Faults;
        /// <summary>The answer's Retry-After, if it has one.</summary>
        public readonly double? RetryAfterSeconds;

        /// <summary>True for 429 and 5xx: too much work, not ready, a used-up rate, or a deadline that passed.</summary>
        public override bool Temporary => Status == 429 || Status >= 500;

        public ProblemException(int status, JsonObject problem, double? retryAfterSeconds)
            : base(status + " " + Json.Text(problem, "title") + ": " + Sentence(problem))
        {
            Status = status;
            Type = Json.Text(problem, "type");
            Title = Json.Text(problem, "title");
            Detail = Json.Text(problem, "detail");
            Faults = FaultsOf(problem);
            RetryAfterSeconds = retryAfterSeconds;
        }

        private static List<Fault> FaultsOf(JsonObject problem) =>
            problem.TryGetValue("errors", out var errors) && errors is List<object> list
                ? list.OfType<JsonObject>().Select(fault => new Fault(fault)).ToList()
                : new List<Fault>();

        private static string Sentence(JsonObject problem)
        {
            var faults = FaultsOf(problem);
            return faults.Count > 0 ? string.Join("; ", faults) : Json.Text(problem, "detail");
        }
    }

    /// <summary>The request has faults (422); Faults lists all of them.</summary>
    public sealed class InvalidRequestException : ProblemException
    {
        public InvalidRequestException(JsonObject problem) : base(422, problem, null) { }
    }

    /// <summary>The answer to a request for a bid; all of its fields are in Fields.</summary>
    public sealed class BidAnswer
    {
        public readonly JsonObject Fields;
        /// <summary>Why the service made no bid; null if it did.</summary>
        public readonly string Fallback;

        public BidAnswer(JsonObject fields, string fallback = null)
        {
            Fields = fields;
            Fallback = fallback;
        }

        /// <summary>0 (nil) to 13.</summary>
        public int Bid => Convert.ToInt32(Fields["bid"], CultureInfo.InvariantCulture);
        public string Kind => Json.Text(Fields, "kind");
        public string Policy => Json.Text(Fields, "policy");
        /// <summary>Why, for a player; empty if explain is false or brief, and for a fallback.</summary>
        public string Sentence =>
            Fields.TryGetValue("explanation", out var found) && found is JsonObject explanation
                ? Json.Text(explanation, "sentence")
                : "";
    }

    /// <summary>
    /// A client of the service. Each method takes the request that the HTTP interface documents, as dictionaries, lists,
    /// texts, numbers and booleans, and returns the answer in the same form. Keep one client for the whole game.
    /// </summary>
    public sealed class SpadesClient : IDisposable
    {
        private const double FirstBackoffSeconds = 0.02;
        private readonly HttpClient http;
        private readonly Random random = new Random();
        private readonly string url;
        private readonly string key;
        private readonly TimeSpan timeout;
        private readonly int attempts;
        private readonly Func<JsonObject, int> fallback;

        /// <param name="url">The address of the service.</param>
        /// <param name="key">The API key.</param>
        /// <param name="timeout">Deadline of a whole call, retries included; default 1 s.</param>
        /// <param name="attempts">How often a request is sent at most.</param>
        /// <param name="fallback">Makes the bid if the service cannot, such as SimpleBid.Of.</param>
        public SpadesClient(
            string url, string key = null, TimeSpan? timeout = null, int attempts = 3, Func<JsonObject, int> fallback = null)
        {
            this.url = url.TrimEnd('/');
            this.key = key;
            this.timeout = Positive(timeout ?? TimeSpan.FromSeconds(1));
            if (attempts < 1) throw new ArgumentException("attempts is " + attempts + "; accepted: 1 or more");
            this.attempts = attempts;
            this.fallback = fallback;
            http = new HttpClient { Timeout = Timeout.InfiniteTimeSpan };
        }

        public void Dispose() => http.Dispose();

        /// <summary>Return one bid. If the service cannot answer and there is a fallback, its bid, with the reason.</summary>
        public async Task<BidAnswer> Bid(JsonObject request, TimeSpan? timeout = null, string requestId = null)
        {
            try
            {
                return new BidAnswer(await Call("POST", "/v1/bid", request, timeout, requestId).ConfigureAwait(false));
            }
            catch (SpadesException error) when (error.Temporary && fallback != null)
            {
                var bid = fallback(request);
                var fields = new JsonObject
                {
                    ["bid"] = bid, ["kind"] = bid > 0 ? "regular" : "nil", ["policy"] = "fallback", ["tables"] = "",
                    ["assumed"] = new List<object>(),
                };
                return new BidAnswer(fields, error.Message);
            }
        }

        public Task<JsonObject> Bids(JsonObject request, TimeSpan? timeout = null, string requestId = null) =>
            Call("POST", "/v1/bids", request, timeout, requestId);
        public Task<JsonObject> Blind(JsonObject request, TimeSpan? timeout = null, string requestId = null) =>
            Call("POST", "/v1/bid/blind", request, timeout, requestId);
        public Task<JsonObject> PassCards(JsonObject request, TimeSpan? timeout = null, string requestId = null) =>
            Call("POST", "/v1/pass", request, timeout, requestId);
        public Task<JsonObject> Card(JsonObject request, TimeSpan? timeout = null, string requestId = null) =>
            Call("POST", "/v1/card", request, timeout, requestId);
        public Task<JsonObject> Cards(JsonObject request, TimeSpan? timeout = null, string requestId = null) =>
            Call("POST", "/v1/cards", request, timeout, requestId);
        public Task<JsonObject> Inference(JsonObject request, TimeSpan? timeout = null, string requestId = null) =>
            Call("POST", "/v1/inference", request, timeout, requestId);
        public Task<JsonObject> Inferences(JsonObject request, TimeSpan? timeout = null, string requestId = null) =>
            Call("POST", "/v1/inferences", request, timeout, requestId);
        /// <summary>Tell the service what became of bids. It is sent again only if nothing was counted.</summary>
        public Task<JsonObject> Results(JsonObject request, TimeSpan? timeout = null, string requestId = null) =>
            Call("POST", "/v1/results", request, timeout, requestId, repeatable: false);
        public Task<JsonObject> ListPolicies(TimeSpan? timeout = null) => Call("GET", "/v1/policies", null, timeout, null);
        public Task<JsonObject> ListRules(TimeSpan? timeout = null) => Call("GET", "/v1/rules", null, timeout, null);
        public Task<JsonObject> ListReasons(TimeSpan? timeout = null) => Call("GET", "/v1/reasons", null, timeout, null);
        public Task<JsonObject> Version(TimeSpan? timeout = null) => Call("GET", "/version", null, timeout, null);

        private async Task<JsonObject> Call(
            string method, string path, JsonObject request, TimeSpan? limit, string requestId, bool repeatable = true)
        {
            var clock = System.Diagnostics.Stopwatch.StartNew();
            var whole = Positive(limit ?? timeout);
            for (var attempt = 1; ; attempt++)
            {
                SpadesException error;
                try
                {
                    return await Send(method, path, request, whole - clock.Elapsed, requestId).ConfigureAwait(false);
                }
                catch (SpadesException found)
                {
                    error = found;
                }
                catch (OperationCanceledException cause)
                {
                    var text = whole.TotalMilliseconds.ToString(CultureInfo.InvariantCulture);
                    error = new NoAnswerException("no answer in " + text + " ms", cause);
                }
                catch (HttpRequestException cause)
                {
                    error = new NoAnswerException("the connection failed: " + cause.Message, cause);
                }
                var wait = Wait(error, repeatable, attempt, whole - clock.Elapsed);
                if (wait == null || attempt >= attempts || wait >= whole - clock.Elapsed) throw error;
                await Task.Delay(wait.Value).ConfigureAwait(false);
            }
        }

        private async Task<JsonObject> Send(string method, string path, JsonObject request, TimeSpan left, string requestId)
        {
            if (left <= TimeSpan.Zero) left = TimeSpan.FromMilliseconds(1);
            using (var cancel = new CancellationTokenSource(left))
            using (var message = new HttpRequestMessage(new HttpMethod(method), url + path))
            {
                var milliseconds = left.TotalMilliseconds.ToString("0.0", CultureInfo.InvariantCulture);
                message.Headers.Add("X-Deadline-Ms", milliseconds);
                if (key != null) message.Headers.Authorization = new AuthenticationHeaderValue("Bearer", key);
                if (requestId != null) message.Headers.Add("X-Request-ID", requestId);
                if (request != null)
                    message.Content = new StringContent(Json.Write(request), new UTF8Encoding(false), "application/json");
                // Task.WhenAny, because some versions of HttpClient notice a cancellation only when bytes arrive.
                var exchange = Exchange(message, cancel.Token);
                if (await Task.WhenAny(exchange, Task.Delay(left)).ConfigureAwait(false) != exchange)
                {
                    cancel.Cancel();
                    _ = exchange.ContinueWith(late => late.Exception, TaskContinuationOptions.OnlyOnFaulted);
                    throw new OperationCanceledException();
                }
                return await exchange.ConfigureAwait(false);
            }
        }

        private async Task<JsonObject> Exchange(HttpRequestMessage message, CancellationToken cancel)
        {
            using (var response = await http.SendAsync(message, cancel).ConfigureAwait(false))
            {
                var text = await response.Content.ReadAsStringAsync().ConfigureAwait(false);
                var status = (int)response.StatusCode;
                JsonObject body = null;
                try
                {
                    body = Json.Read(text) as JsonObject;
                }
                catch (FormatException)
                {
                    // handled below: a proxy's page, for example
                }
                var start = text.Substring(0, Math.Min(text.Length, 200));
                if (status == 200)
                    return body ?? throw new NoAnswerException("the answer is " + start + "; accepted: a JSON object");
                if (status == 422 && body != null) throw new InvalidRequestException(body);
                var unknown = new JsonObject
                {
                    ["title"] = response.ReasonPhrase, ["detail"] = "not an answer of the service: " + start,
                };
                throw new ProblemException(status, body ?? unknown, response.Headers.RetryAfter?.Delta?.TotalSeconds);
            }
        }

        /// <summary>
        /// Return the time to wait before the next attempt; null: do not try again. If there is no time for the Retry-After
        /// of a 503, the wait is short: another replica may answer.
        /// </summary>
        private TimeSpan? Wait(SpadesException error, bool repeatable, int attempt, TimeSpan left)
        {
            if (error is ProblemException problem)
            {
                if (problem.Status != 429 && problem.Status != 503) return null;
                if (problem.RetryAfterSeconds is double seconds && (problem.Status == 429 || seconds < left.TotalSeconds))
                    return TimeSpan.FromSeconds(seconds);
            }
            else if (!repeatable)
            {
                return null; // HttpClient does not say whether the request was sent
            }
            double share;
            lock (random) share = 0.5 + random.NextDouble() / 2;
            return TimeSpan.FromSeconds(FirstBackoffSeconds * Math.Pow(2, attempt - 1) * share);
        }

        private static TimeSpan Positive(TimeSpan value) =>
            value > TimeSpan.Zero ? value : throw new ArgumentException("timeout is " + value + "; accepted: more than 0");
    }
}
