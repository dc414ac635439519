/** Client of the Spades bidding service. */
export { CardError, formatHand, parseCard, parseHand } from "./cards.js";
export { type CallOptions, Client, type ClientOptions } from "./client.js";
export { InvalidRequest, NoAnswer, ProblemError, SpadesError, Unavailable } from "./errors.js";
export { type Fallback, type LocalBid, simpleBid } from "./fallback.js";
export { operations, type Schemas } from "./operations.js";
