// The playground: keeps the state, asks the service after each change, and shows the answers.
import { apiKey, ask, askAll, Problem, setApiKey } from "./api.js";
import { cardsIn, deckOf, sorted, suitIn } from "./cards.js";
import { chancesOf } from "./chances.js";
import { byId, fill } from "./dom.js";
import { clearFaults, showFaults } from "./faults.js";
import { Form } from "./form.js";
import { inferenceRequest, showInference } from "./inference.js";
import { HAND, Picker } from "./picker.js";
import { showBid, showCards, showChances, showNil, showSteps, showTricks } from "./result.js";
import { snippets } from "./snippets.js";
import { bidRequest, fromFragment, rulesOf, toFragment } from "./state.js";
import { Table } from "./table.js";
import { startTheme } from "./theme.js";

const PAUSE_MS = 120; // between the last key stroke and the request

let catalogue, policies, templates, state, form, picker, table, timer, running;

async function start() {
  startTheme();
  byId("key-form").addEventListener("submit", (event) => {
    event.preventDefault();
    setApiKey(byId("key").value.trim());
    load();
  });
  byId("key").value = apiKey();
  byId("copy-link").addEventListener("click", () => copy(location.href, byId("copy-link")));
  byId("copy-code").addEventListener("click", () => copy(byId("code").textContent, byId("copy-code")));
  byId("languages").addEventListener("change", showCode);
  for (const name of ["bid", "round"]) {
    byId(`mode-${name}`).addEventListener("click", () => {
      if (!catalogue) return;
      showMode(name);
      remember();
    });
  }
  // The fragment of the address is the state, so these links move the focus without it.
  for (const link of document.querySelectorAll(".skip")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const inRound = { "#bid-form": "table", "#answer": "at-table" };
      byId(mode === "round" ? inRound[link.hash] : link.hash.slice(1)).focus();
    });
  }
  window.addEventListener("hashchange", () => {
    if (catalogue && location.hash.slice(1) !== fragmentNow()) open(location.hash);
  });
  await load();
}

async function load() {
  try {
    const [rules, reasons, listed] = await Promise.all(["/v1/rules", "/v1/reasons", "/v1/policies"].map((path) => ask(path)));
    catalogue = rules;
    policies = listed;
    templates = new Map([...reasons.reasons, ...reasons.card_reasons, ...reasons.pass_reasons].map((one) => [one.code, one.template]));
  } catch (error) {
    refused(error);
    return;
  }
  byId("key-panel").hidden = !apiKey();
  table ??= new Table(templates, remember);
  form ??= new Form(catalogue, policies, changed);
  picker ??= new Picker(handChanged);
  open(location.hash);
}

function open(fragment) {
  state = fromFragment(fragment, catalogue);
  form.show(state);
  picker.show(deckOf(rulesOf(state, catalogue), catalogue), state.hand);
  const link = new URLSearchParams(fragment.replace(/^#/, ""));
  table.linked = Number(link.get("deal")) || 0;
  showMode(link.get("mode") || "bid");
  send();
}

let mode = "bid";

function showMode(wanted) {
  mode = wanted === "round" ? "round" : "bid";
  for (const name of ["bid", "round"]) byId(`mode-${name}`).setAttribute("aria-pressed", String(name === mode));
  byId("bid-mode").hidden = mode !== "bid";
  byId("round").hidden = mode !== "round";
  table.use(state, catalogue);
}

function handChanged(text, complete) {
  state.hand = text;
  if (complete) changed();
  else {
    clearTimeout(timer);
    if (running) running.abort();
    clearFaults();
    remember();
    noBid("Pick 13 cards, deal a hand, or paste one.");
  }
}

/** Ask again soon; `newDeck`: whether the deck may have changed. */
function changed(newDeck = false) {
  if (newDeck) picker.show(deckOf(rulesOf(state, catalogue), catalogue), state.hand);
  remember();
  byId("result").setAttribute("aria-busy", "true");
  if (running) running.abort(); // its answers are about an older state
  clearTimeout(timer);
  timer = setTimeout(send, PAUSE_MS);
}

function remember() {
  history.replaceState(null, "", `#${fragmentNow()}`);
}

const fragmentNow = () => toFragment(state, catalogue) + (mode === "round" ? `&mode=round${table.seed ? `&deal=${table.seed}` : ""}` : "");

async function send() {
  if (running) running.abort();
  running = new AbortController();
  const { signal } = running;
  byId("result").setAttribute("aria-busy", "true");
  try {
    await form.offerLegalBids(signal);
    if (signal.aborted) return;
    remember();
    const request = bidRequest(state, catalogue);
    const rules = rulesOf(state, catalogue);
    const sent = { ...request, explain: "curve" };
    const answer = await ask("/v1/bid", sent, signal);
    if (signal.aborted) return;
    clearFaults();
    byId("key-panel").hidden = !apiKey();
    show(sent, answer, rules);
    if (!performance.getEntriesByName("first-bid").length) performance.mark("first-bid");
    await showMore(request, answer, rules, signal);
    if (signal.aborted) return; // the answer is about an older state
  } catch (error) {
    if (error.name !== "AbortError") refused(error);
    return;
  }
  byId("result").setAttribute("aria-busy", "false");
}

function show(request, answer, rules) {
  const { explanation } = answer;
  byId("result").classList.remove("stale");
  byId("no-bid").hidden = true;
  byId("result").hidden = false;
  showBid(answer, templates);
  if (explanation.candidates && explanation.candidates.length) {
    showChances(explanation.candidates, answer.bid, "");
  }
  showTricks(explanation.regular);
  showNil(explanation, rules.nil_points, templates);
  showSteps(explanation.adjustments || []);
  shown = { request, answer };
  showCode();
}

let shown = null;

function showCode() {
  if (!shown) return;
  const language = document.querySelector("#languages input:checked").value;
  const { request, answer } = shown;
  const { explain, ...plain } = request; // the usual explanation is enough for code
  const texts = { ...snippets(plain), JSON: JSON.stringify({ request, answer }, null, 2) };
  byId("code").textContent = texts[language];
}

/** Show what needs further requests: the chances of winprob, what each card gives, and the other hands. */
async function showMore(request, answer, rules, signal) {
  const deck = deckOf(rules, catalogue);
  const hand = cardsIn(state.hand, deck);
  const { convention, level, style, ...plain } = request;
  const [chances, worth, inferred] = await Promise.allSettled([
    chancesOf(request, answer, signal),
    hand.length === HAND ? worthOf(hand, deck, plain, signal) : { tricks: "The page cannot read the cards in this text." },
    ask("/v1/inference", inferenceRequest(request, state, catalogue, answer.bid), signal),
  ]);
  if (signal.aborted) return;
  if (chances.status === "rejected") showChances([], answer.bid, `winprob knows no chances here: ${chances.reason.message}`);
  else if (chances.value.asked) showChances(chances.value.candidates, answer.bid, `The chances come from winprob; the bid comes from ${answer.policy}.`);
  const { tricks, nil } = worth.status === "fulfilled" ? worth.value : { tricks: worth.reason.message };
  showCards(sorted(hand, deck), tricks);
  const own = answer.explanation.nil;
  if (own.threshold === null && nil) showNil({ ...answer.explanation, nil: { ...own, bis_threshold: nil.threshold } }, rules.nil_points, templates);
  if (inferred.status === "fulfilled") showInference(inferred.value, request.seat, deck, rules);
  else {
    fill(byId("heat"));
    byId("heat-note").textContent = inferred.reason.message;
  }
}

/**
 * Return what each card gives, in tricks: the hand's estimate less that with the suit's lowest free card in its place.
 * Also return the nil of the policy that was asked; it is bis if winprob decides, which knows no threshold.
 */
async function worthOf(hand, deck, request, signal) {
  const held = new Set(hand);
  const lower = (card) => deck.suits[suitIn(deck, card)].findLast((other) => other === card || !held.has(other));
  const hands = [hand, ...hand.map((card) => hand.map((other) => (other === card ? lower(card) : other)))];
  const policy = ["best", "winprob"].includes(request.policy) ? "bis" : request.policy;
  const answers = await askAll("/v1/bids", hands.map((cards) => ({ ...request, policy, hand: cards })), signal);
  const refusedItem = answers.find((item) => item.status !== 200);
  if (refusedItem) throw new Problem(refusedItem.status, refusedItem.body);
  const [whole, ...without] = answers.map((item) => item.body.explanation.regular.estimate);
  const tricks = new Map(hand.map((card, index) => [card, whole - without[index]]));
  return { tricks, nil: answers[0].body.explanation.nil };
}

function noBid(why) {
  byId("no-bid").textContent = `No bid: ${why}`;
  byId("no-bid").hidden = false;
  byId("result").classList.add("stale");
  byId("result").setAttribute("aria-busy", "false");
}

function refused(error) {
  if (!(error instanceof Problem)) throw error;
  noBid(error.faults.length ? "the marked fields need another value." : error.message);
  byId("announcement").textContent = `No bid: ${error.message}`;
  if (error.status === 401) {
    byId("key-panel").hidden = false;
    byId("key").focus();
  }
  showFaults(error);
}

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.dataset.done = "Copied";
  } catch {
    button.dataset.done = "Not allowed by the browser";
  }
  byId("announcement").textContent = button.dataset.done;
  setTimeout(() => delete button.dataset.done, 1500);
}

start();
