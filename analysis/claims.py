"""The claims of the MPC paper's section V.A, with verdicts on the results of each study. The rules
are those of results/reference/mpc_claims.json; what they count comes from the program's queries."""

from analysis import winners
from analysis.items import Item, Table, counted
from analysis.verdicts import CANNOT, HOLDS, NOT, PART, RULES

# With fewer data sets, what holds "in most cases" cannot be told.
LEAST = 3
NEEDED = ("best", "top-1", "components-1", "patterns-1", "overall", "stages")


def items(context):
    return [claims(context)]


def claims(context):
    item = Item("findings-claims", "findings", "Claims of the MPC paper, section V.A",
                "Each observation of the paper on the pipelines that its search found, and what the "
                "results of the studies say to it. A verdict follows the rule in its row; "
                "the paper's numbers are counted in its Table II.")
    studies = context.need(item, *NEEDED)
    ordered = sorted(studies, key=lambda study: (not study.real(), -len(study.searched())))
    for study in ordered:
        table, verdicts = judged(context.published, study)
        item.table(study.name, table)
        tested = len(study.searched())
        if not study.real():
            item.note(f"{study.name}: its data sets are synthetic, so that its verdicts say nothing "
                      "about real data")
        elif tested < LEAST:
            item.note(f"{study.name}: {counted(tested, 'real data set')} cannot test what is claimed "
                      f"of most; it takes {LEAST}")
        if NOT in verdicts or PART in verdicts:
            item.note(caveats(context.published, verdicts, study))
        item.note(f"{study.name}, {counted(tested, 'data set')}: " + "; ".join(
            f"{verdict}: {verdicts.count(verdict)}" for verdict in (HOLDS, PART, NOT, CANNOT)))
    if not any(study.real() and len(study.searched()) >= LEAST for study in studies):
        item.lack(f"Verdicts on real data: no study has {LEAST} real data sets that were searched",
                  "`./run corpus` brings some, and `fpsynth search --study "
                  "configs/studies/corpus.json` searches them")
    item.note(own_table(context, studies))
    item.note(context.samples(studies))
    return item


def judged(published, study):
    """A study's table of claims, and the verdicts in its order."""
    kind = "real data" if study.real() else "synthetic data"
    table = Table(f"{study.name}{study.mark()}: {counted(len(study.searched()), 'data set')}, {kind}",
                  [("key", 0), ("claim", 0), ("verdict", 0), ("in the paper", 0), ("here", 0), ("holds if", 0),
                   ("section", 0)])
    ours, papers = winners.of_study(study), winners.published(study, published)
    verdicts = []
    for claim in published.claims():
        theirs, verdict, here = "", CANNOT, claim.get("untestable", "")
        if claim["id"] in RULES:
            rule = RULES[claim["id"]]
            theirs = rule(claim, papers, None)[1]
            verdict, here = rule(claim, ours, study)
            if study.real() and len(study.searched()) < LEAST:
                verdict = CANNOT
        verdicts.append(verdict)
        table.add(claim["id"], claim["claim"], verdict, theirs or stated(claim), here, claim.get("rule"),
                  claim["section"])
    return table, verdicts


def caveats(published, verdicts, study):
    """What may be the cause where a claim does not hold, or not fully."""
    causes = {}
    for claim, verdict in zip(published.claims(), verdicts):
        if "caveat" in claim and verdict in (PART, NOT):
            causes.setdefault(claim["caveat"], []).append(claim["id"])
    return [f"{study.name}, {', '.join(ids)}: {cause}" for cause, ids in causes.items()]


def stated(claim):
    """What the paper has in place of a count that can be made in its Table II."""
    text = claim.get("text")
    if not text:
        return "without figures"
    return f"{text['percent']} %, except on {text['exceptions']} of {text['data_sets']} data sets"


def own_table(context, studies):
    """Which claims do not hold, by the same rules, of the pipelines that the paper prints."""
    if not studies:
        return []
    papers = winners.published(studies[0], context.published)
    found = []
    for claim in context.published.claims():
        if claim["id"] in RULES:
            verdict, text = RULES[claim["id"]](claim, papers, None)
            if text and verdict in (PART, NOT):
                found.append(f"{claim['claim']} ({text}: {verdict})")
    return [f"By the same rules, of the paper's own Table II: {one}" for one in found]
