"""The rules of verdicts on the claims of results/reference/mpc_claims.json: functions of a claim, of
the best pipelines (winners.py) and of a study, or None where they are the paper's, for which only
what its Table II tells is known. They return a verdict and the numbers behind it; a text that is
empty means that there are none."""

import re
from statistics import median

from analysis.context import PRECISIONS
from analysis.documents import BEST
from analysis.winners import kinds

HOLDS, PART, NOT = "holds", "holds in part", "does not hold"
CANNOT = "cannot be tested here"
SEVERAL = 2


def graded(full, part):
    return HOLDS if full else PART if part else NOT


def share(count, of):
    return f"{count} of {of}"


def more_than_half(winners, row):
    """For a row with pipelines by precision: in more than half of all, in each precision."""
    parts = {precision: (row[f"{precision}_pipelines"], winners.counted[precision])
             for precision in PRECISIONS if winners.counted[precision]}
    if not parts:
        return CANNOT, ""
    most = [2 * count > of for count, of in parts.values()]
    overall = 2 * row["pipelines"] > winners.total
    text = share(row["pipelines"], winners.total) + " (" + ", ".join(
        f"{precision} {share(*part)}" for precision, part in parts.items()) + ")"
    return graded(overall and all(most), overall or any(most)), text


def row_of(rows, **where):
    """The row with given values; zeros if the program did not list it, because it counted none."""
    found = [row for row in rows if all(row[key] == value for key, value in where.items())]
    return found[0] if found else {"pipelines": 0, "twice_pipelines": 0, "total": 0,
                                   **{f"{precision}_pipelines": 0 for precision in PRECISIONS}}


def no_ties(claim, winners, study):
    rows = study.rows("top-1", 1) if study else []
    if not rows:
        return CANNOT, ""
    alone = sum(row["tied_algorithms"] == 0 for row in rows)
    below = [row["next_below_percent"] for row in rows if row["next_below_percent"] is not None]
    text = f"{share(alone, len(rows))} alone"
    if below:
        text += f"; the next size is behind by {min(below):.2g} to {max(below):.2g} %, " \
            f"half of them by less than {median(below):.2g} %"
    close = 2 * sum(one < 1 for one in below) > len(below)
    return graded(alone == len(rows) and close, 2 * alone > len(rows)), text


def ze_last(claim, winners, study):
    last = max((row["stage"] for row in winners.reducers), default=0)
    return more_than_half(winners, row_of(winners.reducers, component="ZE", stage=last))


def no_early_reducer(claim, winners, study):
    return more_than_half(winners, row_of(winners.early, reducers_before_last=0))


def bit(claim, winners, study):
    return more_than_half(winners, row_of(winners.kinds, kind="BIT"))


def dim_behind_cut(claim, winners, study):
    found = {f"{name} in {precision} precision":
             row_of(winners.behind_cut, component=name)[f"{precision}_pipelines"]
             for name, precision in (("DIM8", "double"), ("DIM4", "single"))
             if winners.counted[precision]}
    if not found:
        return CANNOT, ""
    text = ", ".join(f"{name}: {count}" for name, count in found.items())
    return graded(min(found.values()) >= SEVERAL, max(found.values())), text


def cut_unused(claim, winners, study):
    counts = {row["stages_before_cut"]: row["pipelines"] for row in winners.cuts}
    known, unused = sum(counts.values()), counts.get(max(counts, default=0), 0)
    if not known:
        return CANNOT, ""
    best = ["|" not in text for text in winners.best.values()]
    text = f"{share(unused, known)}" + (f" (of {winners.total - known} more it is not known)"
                                        if known < winners.total else "")
    text += "; Best: " + "; ".join(winners.best.values())
    return graded(3 * unused >= known and all(best), 3 * unused >= known or any(best)), text


def nul_inv(claim, winners, study):
    found = {kind: row_of(winners.kinds, kind=kind)["pipelines"] for kind in ("NUL", "INV")}
    text = ", ".join(f"{kind} in {share(count, winners.total)}" for kind, count in found.items())
    return graded(not any(found.values()), not all(found.values())), text


def lnv_always(claim, winners, study):
    count = row_of(winners.kinds, kind="LNV")["pipelines"]
    return graded(count == winners.total, 2 * count > winners.total), share(count, winners.total)


def lnv_twice(claim, winners, study):
    row = row_of(winners.kinds, kind="LNV")
    twice, having = row["twice_pipelines"], row["pipelines"]
    return graded(2 * twice > winners.total, 2 * twice > having), share(twice, winners.total)


def subtraction(claim, winners, study):
    totals = {row["family"]: row["total"] for row in winners.families}
    subtract, xor = totals.get("LNVns", 0), totals.get("LNVnx", 0)
    if not subtract + xor:
        return CANNOT, "no LNV"
    return graded(subtract >= 2 * xor, subtract > xor), f"{subtract} subtract, {xor} take the XOR"


def same_in_both(claim, winners, study):
    pairs = winners.both()
    if not pairs:
        return CANNOT, "no data set in both precisions"
    plain = [[re.sub(r"\| DIM[48]\b", "| DIM", text) for text in pair] for pair in pairs]
    same = sum(double == single for double, single in plain)
    part = len(pairs) / 3
    return graded(part <= same <= len(pairs) - part, 0 < same < len(pairs)), \
        f"{share(same, len(pairs))} are the same"


def one_best(claim, winners, study):
    if len(winners.best) < len(PRECISIONS):
        return CANNOT, "no data sets in both precisions"
    double, single = (winners.best[precision] for precision in PRECISIONS)
    text = double if double == single else f"double: {double}; single: {single}"
    if study:
        for row in study.rows("common")[:len(PRECISIONS)]:
            text += f"; {row['what']}: rank {row['double_rank']} in double, " \
                f"{row['single_rank']} in single precision"
    return graded(double == single, kinds(double) == kinds(single)), text


def pattern(claim, winners, study):
    counts = {}
    for row in winners.patterns:  # the cut makes no other kinds
        name = " ".join(row["pattern"].split(" (")[0].replace("|", " ").split())
        counts[name] = counts.get(name, 0) + row["pipelines"]
    if not counts:
        return CANNOT, ""
    first = max(counts, key=counts.get)
    frequent = counts.get(claim["pattern"], 0) == counts[first]
    follow = [kinds(text) == claim["pattern"] for text in winners.best.values()]
    text = f"{claim['pattern']}: {counts.get(claim['pattern'], 0)} of {winners.total}"
    if not frequent:
        text += f"; most frequent is {first}: {counts[first]}"
    text += "; Best: " + "; ".join(dict.fromkeys(winners.best.values()))
    return graded(frequent and all(follow), frequent or any(follow)), text


def best_is(claim, winners, study):
    if not winners.best:
        return CANNOT, ""
    same = [text == claim["pipeline"] for text in winners.best.values()]
    alike = [kinds(text) == kinds(claim["pipeline"]) for text in winners.best.values()]
    return graded(all(same), any(alike)), \
        "; ".join(f"{precision}: {text}" for precision, text in winners.best.items())


def mpc_wins(claim, winners, study):
    won = sorted(f"{name} ({precision})" for (name, precision), text in winners.each.items()
                 if re.fullmatch(claim["form"], text))
    text = share(len(won), winners.total)
    if study and won:
        text += ": " + ", ".join(won)
    return graded(len(won) >= SEVERAL, won), text


def cross_validation(claim, winners, study):
    rows = [row for row in (study.rows("overall", 1) if study else [])
            if row["best_of_the_others"] and row["precision"] in winners.best]
    if not rows:
        return CANNOT, "without two data sets in a precision" if study else ""
    same = sum(kinds(row["best_of_the_others"]) == kinds(winners.best[row["precision"]])
               for row in rows)
    return graded(same == len(rows), 2 * same > len(rows)), \
        f"{share(same, len(rows))} have the kinds of Best: " + "; ".join(
            dict.fromkeys(kinds(text) for text in winners.best.values()))


def mpc_above_eight(claim, winners, study):
    rows = [row for row in (study.rows("dimensionality", 1) if study else [])
            if row["dimensionalities"].startswith("above") and row["data_sets"]]
    of, ahead = (sum(row[key] for row in rows) for key in ("data_sets", "mpc_ahead"))
    if not of:
        return CANNOT, "no data set of more than eight dimensions was searched and compared" \
            if study else ""
    means = "; ".join(f"{row['precision']}: MPC {row['mpc_ratio']:.3f}, Best {row['best_ratio']:.3f}"
                      for row in rows)
    return graded(ahead == of, ahead), f"ahead on {share(ahead, of)}; harmonic means in {means}"


def stage_rows(study):
    return [row for row in (study.rows("stages", precision="double") if study else [])
            if row["data_set"] != BEST and row.get("share_1_percent") is not None]


def share_of_one(row):
    """What one stage reaches, in percent of what the paper's four do, if more were searched."""
    if row.get("ratio_5") is None:
        return row["share_1_percent"]
    return 100 * row["ratio_1"] / row["ratio_4"]


def one_stage(claim, winners, study):
    rows = stage_rows(study)
    if not rows:
        return CANNOT, "no data set in double precision" if study else ""
    wanted = claim["text"]
    below = {row["data_set"]: share_of_one(row) for row in rows
             if share_of_one(row) < wanted["percent"]}
    reach = len(rows) - len(below)
    text = f"{share(reach, len(rows))} reach {wanted['percent']} %"
    if below:
        text += "; not " + ", ".join(f"{name} ({value:.0f} %)" for name, value
                                     in sorted(below.items(), key=lambda pair: pair[1]))
    few = len(below) * wanted["data_sets"] <= wanted["exceptions"] * len(rows)
    return graded(few, 2 * reach > len(rows)), text


def flattening(claim, winners, study):
    gains = []
    for row in stage_rows(study):
        ratios = [row.get(f"ratio_{n}") for n in (1, 2, 3, 4)]
        if None not in ratios:
            gains.append([after - before for before, after in zip(ratios, ratios[1:])])
    if not gains:
        return CANNOT, "no data set with four stages in double precision" if study else ""
    second = sum(a > b for a, b, _ in gains)
    both = sum(a > b > c for a, b, c in gains)
    return graded(2 * both > len(gains), 2 * second > len(gains)), \
        f"{share(both, len(gains))}; the second gains more than the third on {second}"


RULES = {"no-ties": no_ties, "ze-last": ze_last, "no-early-reducer": no_early_reducer,
         "dim-behind-cut": dim_behind_cut, "bit": bit, "cut-unused": cut_unused,
         "nul-inv": nul_inv, "lnv-always": lnv_always, "lnv-twice": lnv_twice,
         "subtraction": subtraction, "same-in-both": same_in_both, "one-best": one_best,
         "pattern": pattern, "best-is": best_is, "mpc-wins": mpc_wins,
         "cross-validation": cross_validation, "mpc-above-eight": mpc_above_eight,
         "one-stage": one_stage, "flattening": flattening}
