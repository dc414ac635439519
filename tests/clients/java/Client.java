// Uses the generated Java client against the service at the URL in the first argument.

import generated.ApiClient;
import generated.ApiException;
import generated.api.BiddingApi;
import generated.api.CatalogueApi;
import generated.model.*;
import java.net.http.HttpClient;
import java.util.List;

public class Client {
  static void check(boolean condition, Object what) {
    if (!condition) throw new AssertionError(what);
  }

  static BidRequest request(String hand, int seat) {
    return new BidRequest().hand(hand).previousBids(List.of()).seat(seat);
  }

  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    // Otherwise Java asks for HTTP/2 by `Upgrade`, and the service on loopback does not get the body of such a request.
    client.setHttpClientBuilder(HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1));
    client.updateBaseUri(arguments[0]);
    BiddingApi bidding = new BiddingApi(client);

    // Every optional field may be left out.
    BidRequest whiz = request("AKJ62.AQ.Q.K9543", 0).rules(new RuleSet().preset(RuleSet.PresetEnum.WHIZ));
    BidAnswer answer = bidding.bid(whiz, null, null);
    check(answer.getBid() == 0 || answer.getBid() == 5, answer);
    check(answer.getExplanation().getRegular().getTakes() >= 1, answer);
    check(answer.getExplanation().getNil().getChosen() == (answer.getBid() == 0), answer);

    List<PreviousBidsInner> before = List.of(new PreviousBidsInner(3));
    BidRequest second = request("AKJ62.AQ.Q.K9543", 1).policy("winprob").previousBids(before);
    Candidate candidate = bidding.bid(second, null, null).getExplanation().getCandidates().get(0);
    check(candidate.getpWin().doubleValue() > 0 && candidate.getOutcomes().getMade().doubleValue() >= 0, candidate);

    BidRequest best = request("AKJ62.AQ.Q.K9543", 0).policy("best").explain(new Explain("brief"));
    Reason reason = bidding.bid(best, null, null).getExplanation().getReasons().get(0);
    check(reason.getCode() == Reason.CodeEnum.WINS && reason.getPercent().doubleValue() > 0, reason);

    try {
      bidding.bid(request("AKJ62.AQ.Q.K9543", 3), null, null);
      throw new AssertionError("seat 3 was accepted");
    } catch (ApiException refused) {
      check(refused.getCode() == 422, refused);
      Problem problem = ApiClient.createDefaultObjectMapper().readValue(refused.getResponseBody(), Problem.class);
      check(problem.getErrors().get(0).getCode() == FaultItem.CodeEnum.SEAT_MISMATCH, problem);
    }

    BidsRequest two = new BidsRequest().requests(List.of(whiz, request("AKJ62", 0)));
    List<AnswersInner> items = bidding.bids(two, null, null).getAnswers();
    check(items.size() == 2, items);
    check(items.get(0).getAnsweredItem().getBody().getBid().equals(answer.getBid()), items);
    check(items.get(1).getRefusedItem().getBody().getErrors().get(0).getPointer().equals("/hand"), items);

    BlindRequest unseen = new BlindRequest().previousBids(List.of()).seat(0).scores(new Scores().us(-100).them(300));
    BlindAnswer look = bidding.blind(unseen.rules(new RuleSet().blindNil(true)), null, null);
    check(look.getBlindNil() != null && look.getExplanation().getpMade() != null, look);

    CatalogueApi catalogue = new CatalogueApi(client);
    check(catalogue.listRules().getPresets().get("classic").getWin() == 500, "win");
    check(catalogue.listPolicies().getDefault().equals("bis"), "default");
    System.out.println("Java client: all good");
  }
}
