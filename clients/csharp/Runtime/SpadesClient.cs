// The C# client of the Spades bidding service. It needs HttpClient, C# 7 and Newtonsoft.Json. Contract.cs has the fields
// of requests and answers.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Reflection;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Spades
{
    /// <summary>There is no answer that can be used. `Temporary`: the same request may succeed later.</summary>
    public class SpadesException : Exception
    {
        public virtual bool Temporary => false;
        public SpadesException(string message, Exception cause = null) : base(message, cause) { }
    }

    /// <summary>The deadline passed, the connection failed, or a 200 is not an answer of the service.</summary>
    public class NoAnswerException : SpadesException
    {
        public override bool Temporary => true;
        public NoAnswerException(string message, Exception cause = null) : base(message, cause) { }
    }

    /// <summary>The answer has another status than 200; the service's own have a problem (RFC 9457).</summary>
    public class ProblemException : SpadesException
    {
        public readonly int Status;
        public readonly string Type, Title, Detail;
        public readonly IReadOnlyList<FaultItem> Faults;
        /// <summary>The answer's Retry-After, if it has one.</summary>
        public readonly double? RetryAfterSeconds;

        /// <summary>
        /// False if the caller must mend it: for a 401, and for the service's own problems below 500, except 404, 408
        /// and 429. True for all others: too much work, a deadline that passed, a redirect, or a page of a proxy.
        /// </summary>
        public override bool Temporary => Status != 401 && !(
            Type.StartsWith("/problems/", StringComparison.Ordinal) && Status >= 400 && Status < 500
            && Status != 404 && Status != 408 && Status != 429);

        public ProblemException(int status, Problem problem, double? retryAfterSeconds)
            : base(status + " " + problem.Title + ": " + Sentence(problem))
        {
            Status = status;
            Type = problem.Type ?? "";
            Title = problem.Title ?? "";
            Detail = problem.Detail ?? "";
            Faults = problem.Errors ?? new List<FaultItem>();
            RetryAfterSeconds = retryAfterSeconds;
        }

        private static string Sentence(Problem problem) =>
            problem.Errors != null && problem.Errors.Count > 0
                ? string.Join("; ", problem.Errors.Select(fault => fault.Pointer + ": " + fault.Detail))
                : problem.Detail;
    }

    /// <summary>The request has faults (422); Faults lists all of them.</summary>
    public sealed class InvalidRequestException : ProblemException
    {
        public InvalidRequestException(Problem problem) : base(422, problem, null) { }
    }

    public sealed partial class BidAnswer
    {
        /// <summary>Why the service made no bid; null if it did.</summary>
        [JsonIgnore]
        public string Fallback { get; internal set; }
    }

    /// <summary>An item of a batch's answer: the answer if the status is 200, else why it was refused.</summary>
    public sealed class BatchItem<TAnswer> where TAnswer : class
    {
        [JsonProperty("status")]
        public int Status { get; }
        /// <summary>Null if the item was refused.</summary>
        [JsonIgnore]
        public TAnswer Answer { get; }
        /// <summary>Null if the item was answered.</summary>
        [JsonIgnore]
        public Problem Refused { get; }
        [JsonProperty("body")]
        private object Body => (object)Answer ?? Refused;

        [JsonConstructor]
        internal BatchItem(int? status, JToken body)
        {
            if (status == null || !(body is JObject))
                throw new JsonSerializationException("an item is not an object with status and body");
            Status = status.Value;
            if (Status == 200) Answer = body.ToObject<TAnswer>();
            else Refused = body.ToObject<Problem>();
        }
    }

    /// <summary>
    /// A client of the service. Each method takes the request that the HTTP interface documents and returns its answer.
    /// Keep one client for the whole game.
    /// </summary>
    public sealed class SpadesClient : IDisposable
    {
        private const double FirstBackoffSeconds = 0.02;
        private static readonly TimeSpan LongestTimeout = TimeSpan.FromMilliseconds(int.MaxValue); // of a timer
        private static readonly JsonSerializerSettings PlainTexts =
            new JsonSerializerSettings { DateParseHandling = DateParseHandling.None };
        private static readonly JsonSerializerSettings WithoutNulls =
            new JsonSerializerSettings { NullValueHandling = NullValueHandling.Ignore };
        private const string Label = @"[^\s.:/?#@%\\\[\]]{1,63}"; // of a host's name
        /// <summary>The same in all clients: Uri and others accept more, and no request could be sent.</summary>
        private static readonly Regex AcceptedUrl = new Regex(
            @"^https?://(\[[0-9a-f:.]+\]|" + Label + @"(\." + Label + @")*\.?)(:[1-9][0-9]{0,4})?(/[^\s?#\\]*)?\z",
            RegexOptions.IgnoreCase | RegexOptions.CultureInvariant);
        private readonly HttpClient http;
        private readonly Random random = new Random();
        private readonly string url;
        private readonly string key;
        private readonly TimeSpan timeout;
        private readonly int attempts;
        private readonly Func<BidRequest, int> fallback;
        private readonly Action<SpadesException, BidRequest> onFallback;

        /// <param name="url">The address of the service.</param>
        /// <param name="key">The API key.</param>
        /// <param name="timeout">Deadline of a whole call, retries included; default 1 s.</param>
        /// <param name="attempts">How often a request is sent at most.</param>
        /// <param name="fallback">Makes the bid if the service cannot, such as SimpleBid.Of.</param>
        /// <param name="onFallback">Called each time that the fallback makes a bid; default: a line on stderr.</param>
        public SpadesClient(
            string url, string key = null, TimeSpan? timeout = null, int attempts = 3,
            Func<BidRequest, int> fallback = null, Action<SpadesException, BidRequest> onFallback = null)
        {
            this.url = CheckedUrl(url).TrimEnd('/');
            this.key = key == null ? null : CheckedHeader("key", key);
            this.timeout = CheckedTimeout(timeout ?? TimeSpan.FromSeconds(1));
            if (attempts < 1) throw new ArgumentException("attempts is " + attempts + "; accepted: 1 or more");
            this.attempts = attempts;
            this.fallback = fallback;
            this.onFallback = onFallback ?? Warn;
            // A redirect is not followed: a redirected POST would become a GET of another page.
            var handler = new HttpClientHandler { AllowAutoRedirect = false };
            http = new HttpClient(handler) { Timeout = Timeout.InfiniteTimeSpan };
        }

        public void Dispose() => http.Dispose();

        /// <summary>Return one bid. If the service cannot answer and there is a fallback, its bid, with the reason.</summary>
        public async Task<BidAnswer> Bid(BidRequest request, TimeSpan? timeout = null, string requestId = null)
        {
            try
            {
                var call = Call<BidAnswer>("POST", "/v1/bid", "bid", request, timeout, requestId);
                return await call.ConfigureAwait(false);
            }
            catch (SpadesException error) when (error.Temporary && fallback != null)
            {
                var bid = fallback(request);
                try
                {
                    onFallback(error, request);
                }
                catch (Exception fault) // of the caller's code, and the table still needs the bid
                {
                    Console.Error.WriteLine("Spades: onFallback threw an exception: " + fault);
                }
                return new BidAnswer
                {
                    Bid = bid, Kind = bid > 0 ? "regular" : "nil", Policy = "fallback", Tables = "",
                    Assumed = new List<string>(), Fallback = error.Message,
                };
            }
        }

        public Task<BidsAnswer> Bids(BidsRequest request, TimeSpan? timeout = null, string requestId = null) =>
            Call<BidsAnswer>("POST", "/v1/bids", "answers", request, timeout, requestId);
        public Task<BlindAnswer> Blind(BlindRequest request, TimeSpan? timeout = null, string requestId = null) =>
            Call<BlindAnswer>("POST", "/v1/bid/blind", "blind_nil", request, timeout, requestId);
        public Task<PassAnswer> PassCards(PassRequest request, TimeSpan? timeout = null, string requestId = null) =>
            Call<PassAnswer>("POST", "/v1/pass", "cards", request, timeout, requestId);
        public Task<CardAnswer> Card(CardRequest request, TimeSpan? timeout = null, string requestId = null) =>
            Call<CardAnswer>("POST", "/v1/card", "card", request, timeout, requestId);
        public Task<CardsAnswer> Cards(CardsRequest request, TimeSpan? timeout = null, string requestId = null) =>
            Call<CardsAnswer>("POST", "/v1/cards", "answers", request, timeout, requestId);
        public Task<InferenceAnswer> Inference(
            InferenceRequest request, TimeSpan? timeout = null, string requestId = null) =>
            Call<InferenceAnswer>("POST", "/v1/inference", "seats", request, timeout, requestId);
        public Task<InferencesAnswer> Inferences(
            InferencesRequest request, TimeSpan? timeout = null, string requestId = null) =>
            Call<InferencesAnswer>("POST", "/v1/inferences", "answers", request, timeout, requestId);
        public Task<ReviewAnswer> Review(ReviewRequest request, TimeSpan? timeout = null, string requestId = null) =>
            Call<ReviewAnswer>("POST", "/v1/review", "decisions", request, timeout, requestId);
        /// <summary>Tell the service what became of bids. It is sent again only if nothing was counted.</summary>
        public Task<ResultsAnswer> Results(ResultsRequest request, TimeSpan? timeout = null, string requestId = null) =>
            Call<ResultsAnswer>("POST", "/v1/results", "accepted", request, timeout, requestId, repeatable: false);
        public Task<PoliciesAnswer> ListPolicies(TimeSpan? timeout = null, string requestId = null) =>
            Call<PoliciesAnswer>("GET", "/v1/policies", "policies", null, timeout, requestId);
        public Task<RulesAnswer> ListRules(TimeSpan? timeout = null, string requestId = null) =>
            Call<RulesAnswer>("GET", "/v1/rules", "presets", null, timeout, requestId);
        public Task<ReasonsAnswer> ListReasons(TimeSpan? timeout = null, string requestId = null) =>
            Call<ReasonsAnswer>("GET", "/v1/reasons", "reasons", null, timeout, requestId);
        public Task<VersionAnswer> Version(TimeSpan? timeout = null, string requestId = null) =>
            Call<VersionAnswer>("GET", "/version", "service", null, timeout, requestId);

        private async Task<TAnswer> Call<TAnswer>(
            string method, string path, string field, object request, TimeSpan? limit, string requestId,
            bool repeatable = true)
        {
            var clock = System.Diagnostics.Stopwatch.StartNew();
            var whole = CheckedTimeout(limit ?? timeout);
            if (requestId != null) CheckedHeader("requestId", requestId);
            var body = request == null ? null : JsonConvert.SerializeObject(request, WithoutNulls);
            for (var attempt = 1; ; attempt++)
            {
                SpadesException error;
                try
                {
                    var text = await Send(method, path, body, whole - clock.Elapsed, requestId).ConfigureAwait(false);
                    return AnswerOf<TAnswer>(text, field);
                }
                catch (SpadesException found)
                {
                    error = found;
                }
                catch (OperationCanceledException cause)
                {
                    var limitMs = whole.TotalMilliseconds.ToString(CultureInfo.InvariantCulture);
                    error = new NoAnswerException("no answer in " + limitMs + " ms", cause);
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

        private async Task<string> Send(string method, string path, string body, TimeSpan left, string requestId)
        {
            if (left <= TimeSpan.Zero) left = TimeSpan.FromMilliseconds(1);
            using (var cancel = new CancellationTokenSource(left))
            using (var message = new HttpRequestMessage(new HttpMethod(method), url + path))
            {
                var milliseconds = left.TotalMilliseconds.ToString("0.0", CultureInfo.InvariantCulture);
                message.Headers.Add("X-Deadline-Ms", milliseconds);
                if (key != null) message.Headers.Authorization = new AuthenticationHeaderValue("Bearer", key);
                if (requestId != null) message.Headers.Add("X-Request-ID", requestId);
                if (body != null)
                    message.Content = new StringContent(body, new UTF8Encoding(false), "application/json");
                // Task.WhenAny, because some versions of HttpClient notice a cancellation only when bytes arrive.
                var exchange = Exchange(message, cancel.Token);
                var late = Task.Delay(Timeout.Infinite, cancel.Token);
                if (await Task.WhenAny(exchange, late).ConfigureAwait(false) == late)
                {
                    _ = exchange.ContinueWith(failed => failed.Exception, TaskContinuationOptions.OnlyOnFaulted);
                    throw new OperationCanceledException();
                }
                return await exchange.ConfigureAwait(false);
            }
        }

        /// <summary>Return the body of an answer with status 200.</summary>
        private async Task<string> Exchange(HttpRequestMessage message, CancellationToken cancel)
        {
            using (var response = await http.SendAsync(message, cancel).ConfigureAwait(false))
            {
                var text = await response.Content.ReadAsStringAsync().ConfigureAwait(false);
                var status = (int)response.StatusCode;
                if (status == 200) return text;
                var problem = Read<Problem>(text, "type") ?? new Problem
                {
                    Type = "", Title = response.ReasonPhrase, Detail = "not an answer of the service: " + Start(text),
                };
                var error = new ProblemException(status, problem, response.Headers.RetryAfter?.Delta?.TotalSeconds);
                throw status == 422 && !error.Temporary ? new InvalidRequestException(problem) : error;
            }
        }

        private static TAnswer AnswerOf<TAnswer>(string text, string field)
        {
            var answer = Read<TAnswer>(text, field);
            if (answer != null) return answer;
            throw new NoAnswerException("the answer is " + Start(text) + "; accepted: a JSON object with " + field);
        }

        /// <summary>Return the value of a JSON object that has a field of that name; null for another text.</summary>
        private static T Read<T>(string text, string field)
        {
            try
            {
                var found = JsonConvert.DeserializeObject<JToken>(text, PlainTexts) as JObject;
                return found?[field] == null ? default(T) : found.ToObject<T>();
            }
            // TargetInvocationException: of BatchItem's constructor, where Newtonsoft.Json calls it by reflection.
            catch (Exception fault) when (
                fault is JsonException || fault is OverflowException || fault is TargetInvocationException)
            {
                return default(T); // a proxy's page, for example
            }
        }

        private static void Warn(SpadesException error, BidRequest request) =>
            Console.Error.WriteLine("Spades: fallback bid: " + error.Message);

        private static string Start(string text) => text.Substring(0, Math.Min(text.Length, 200));

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

        private static TimeSpan CheckedTimeout(TimeSpan value)
        {
            if (value > TimeSpan.Zero && value <= LongestTimeout) return value;
            throw new ArgumentException("timeout is " + value + "; accepted: more than 0, up to " + LongestTimeout);
        }

        /// <summary>Return a text that a header can hold. The error does not quote it, because it may be a key.</summary>
        private static string CheckedHeader(string name, string value)
        {
            if (value != "" && value == value.Trim() && value.All(sign => sign >= ' ' && sign <= '~')) return value;
            throw new ArgumentException(
                name + " is empty, has a sign that is not printable ASCII, such as a line break, or a space at an end; "
                + "accepted: printable ASCII");
        }

        private static string CheckedUrl(string url)
        {
            // Uri also refuses a port that is too large.
            if (AcceptedUrl.IsMatch(url ?? "") && Uri.TryCreate(url, UriKind.Absolute, out _)) return url;
            throw new ArgumentException(
                "url is " + (url == null ? "null" : "'" + url + "'") + "; accepted: http:// or https:// and a host, "
                + "such as http://127.0.0.1:8080; a port up to 65535; no white space, user, query or fragment");
        }
    }
}
