// The request as code: curl, Python, TypeScript and C#.
import { apiKey, urlOf } from "./api.js";

/** Return the request as code by language. */
export function snippets(request) {
  const url = urlOf("/v1/bid");
  return { curl: curl(url, request), Python: python(url, request), TypeScript: typescript(url, request), "C#": csharp(url, request) };
}

const json = (value) => JSON.stringify(value);

/** Return an object as JSON with one line for each field. */
const lines = (value) => `{\n${Object.entries(value).map(([name, one]) => `  ${json(name)}: ${json(one)}`).join(",\n")}\n}`;

function curl(url, request) {
  const key = apiKey() ? ` \\\n  -H 'Authorization: Bearer KEY'` : "";
  return `curl -s ${url} \\\n  -H 'Content-Type: application/json'${key} \\\n  -d '${lines(request).replaceAll("'", "'\\''")}'`;
}

/** Return a JSON value as a Python literal. */
function literal(value) {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value === "object") return `{${Object.entries(value).map(([name, one]) => `${json(name)}: ${literal(one)}`).join(", ")}}`;
  return json(value);
}

function python(url, request) {
  const fields = Object.entries(request).map(([name, value]) => `    ${json(name)}: ${literal(value)},`);
  const key = apiKey() ? `, headers={"Authorization": "Bearer KEY"}` : "";
  return `import httpx\n\nrequest = {\n${fields.join("\n")}\n}\nanswer = httpx.post("${url}", json=request${key}).raise_for_status().json()\nprint(answer["bid"], answer["explanation"]["sentence"])`;
}

function typescript(url, request) {
  const key = apiKey() ? `, Authorization: "Bearer KEY"` : "";
  return `const request = ${lines(request)};
const response = await fetch("${url}", {
  method: "POST",
  headers: { "Content-Type": "application/json"${key} },
  body: JSON.stringify(request),
});
if (!response.ok) throw new Error((await response.json()).detail);
const answer = (await response.json()) as { bid: number; explanation: { sentence: string } };
console.log(answer.bid, answer.explanation.sentence);`;
}

function csharp(url, request) {
  const key = apiKey() ? `client.DefaultRequestHeaders.Authorization = new("Bearer", "KEY");\n` : "";
  return `using System.Text;
using System.Text.Json;

var request = ${json(json(request))};
using var client = new HttpClient();
${key}using var response = await client.PostAsync("${url}",
    new StringContent(request, Encoding.UTF8, "application/json"));
response.EnsureSuccessStatusCode();
using var answer = JsonDocument.Parse(await response.Content.ReadAsStringAsync());
Console.WriteLine(answer.RootElement.GetProperty("bid").GetInt32());`;
}
