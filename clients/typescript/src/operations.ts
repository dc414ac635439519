/** The endpoints of the service with the types of their requests and answers. A test compares them with the contract. */
import type { components } from "./contract.js";

export type Schemas = components["schemas"];

/**
 * One endpoint. `field`: a field that every answer has. A body without it is not an answer of the service.
 * `repeatable`: a second request after a lost connection does no harm.
 */
export interface Operation<Request, Answer> {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly field: string;
  readonly repeatable: boolean;
  /** Only for type checking: ties the types to the endpoint. */
  readonly types?: (request: Request) => Answer;
}

function post<Request, Answer>(
  path: string,
  field: keyof Answer & string,
  repeatable = true,
): Operation<Request, Answer> {
  return { method: "POST", path, field, repeatable };
}

function get<Answer>(path: string, field: keyof Answer & string): Operation<undefined, Answer> {
  return { method: "GET", path, field, repeatable: true };
}

export const operations = {
  bid: post<Schemas["BidRequest"], Schemas["BidAnswer"]>("/v1/bid", "bid"),
  bids: post<Schemas["BidsRequest"], Schemas["BidsAnswer"]>("/v1/bids", "answers"),
  blind: post<Schemas["BlindRequest"], Schemas["BlindAnswer"]>("/v1/bid/blind", "blind_nil"),
  passCards: post<Schemas["PassRequest"], Schemas["PassAnswer"]>("/v1/pass", "cards"),
  card: post<Schemas["CardRequest"], Schemas["CardAnswer"]>("/v1/card", "card"),
  cards: post<Schemas["CardsRequest"], Schemas["CardsAnswer"]>("/v1/cards", "answers"),
  inference: post<Schemas["InferenceRequest"], Schemas["InferenceAnswer"]>("/v1/inference", "seats"),
  inferences: post<Schemas["InferencesRequest"], Schemas["InferencesAnswer"]>("/v1/inferences", "answers"),
  review: post<Schemas["ReviewRequest"], Schemas["ReviewAnswer"]>("/v1/review", "decisions"),
  // It counts results, so that a second request would count them twice.
  results: post<Schemas["ResultsRequest"], Schemas["ResultsAnswer"]>("/v1/results", "accepted", false),
  listPolicies: get<Schemas["PoliciesAnswer"]>("/v1/policies", "policies"),
  listRules: get<Schemas["RulesAnswer"]>("/v1/rules", "presets"),
  listReasons: get<Schemas["ReasonsAnswer"]>("/v1/reasons", "reasons"),
  version: get<Schemas["VersionAnswer"]>("/version", "service"),
};
