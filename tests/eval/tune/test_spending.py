from eval.tune.spending import calls, cost, tokens, usage_line
from sayso.core.trail import Usage

ASKED = Usage(model_calls=2, prompt_tokens=100, completion_tokens=10, cost=0.25)
KEPT = Usage(cache_hits=3, saved_tokens=330, saved_cost=0.5)


def test_a_kept_reply_counts_with_what_it_had_cost():
    both = ASKED + KEPT

    assert (calls(both), tokens(both), cost(both)) == (5, 440, 0.75)
    assert (calls(KEPT), tokens(KEPT), cost(KEPT)) == (3, 330, 0.5)


def test_without_prices_there_is_no_cost():
    assert cost(Usage(model_calls=1, prompt_tokens=5)) is None


def test_what_was_used_now_stands_apart_from_what_the_cache_gave():
    assert usage_line(ASKED) == "2 calls, 110 tokens, cost 0.2500"
    assert usage_line(ASKED + KEPT) == (
        "2 calls, 110 tokens, cost 0.2500; 3 more calls from the cache, which had taken 330 tokens, "
        "cost 0.5000"
    )
    assert usage_line(Usage(cache_hits=1, saved_tokens=7)) == (
        "0 calls, 0 tokens; 1 more calls from the cache, which had taken 7 tokens"
    )
