/** The endpoints of the service with the types of their requests and answers. A test compares them with the contract. */
import type { components } from "./contract.js";

export type Schemas = components["schemas"];

/** One endpoint. `repeatable`: a second request after a lost connection does no harm. */
export interface Operation<Request, Answer> {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly repeatable: boolean;
  /** Only for type checking: ties the types to the endpoint. */
  readonly types?: (request: Request) => Answer;
}

function post<Request, Answer>(path: string, repeatable = true): Operation<Request, Answer> {
  return { method: "POST", path, repeatable };
}

function get<Answer>(path: string): Operation<undefined, Answer> {
  return { method: "GET", path, repeatable: true };
}

export const operations = {
  bid: post<Schemas["BidRequest"], Schemas["BidAnswer"]>("/v1/bid"),
  bids: post<Schemas["BidsRequest"], Schemas["BidsAnswer"]>("/v1/bids"),
  blind: post<Schemas["BlindRequest"], Schemas["BlindAnswer"]>("/v1/bid/blind"),
  passCards: post<Schemas["PassRequest"], Schemas["PassAnswer"]>("/v1/pass"),
  card: post<Schemas["CardRequest"], Schemas["CardAnswer"]>("/v1/card"),
  cards: post<Schemas["CardsRequest"], Schemas["CardsAnswer"]>("/v1/cards"),
  inference: post<Schemas["InferenceRequest"], Schemas["InferenceAnswer"]>("/v1/inference"),
  inferences: post<Schemas["InferencesRequest"], Schemas["InferencesAnswer"]>("/v1/inferences"),
  // It counts results, so that a second request would count them twice.
  results: post<Schemas["ResultsRequest"], Schemas["ResultsAnswer"]>("/v1/results", false),
  listPolicies: get<Schemas["PoliciesAnswer"]>("/v1/policies"),
  listRules: get<Schemas["RulesAnswer"]>("/v1/rules"),
  listReasons: get<Schemas["ReasonsAnswer"]>("/v1/reasons"),
  version: get<Schemas["VersionAnswer"]>("/version"),
};
