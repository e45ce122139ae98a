"""The package beside PyTerrier, ranx and ir_measures: they read its runs and gold, and compute the same figures."""

import importlib.util
import pathlib
import tempfile
import unittest

import hopscope

SAMPLE = str(pathlib.Path(__file__).parents[2] / "sample-corpus")


def needs(package):
    there = importlib.util.find_spec(package) is not None
    return unittest.skipUnless(there, f"{package} is not installed")


class Peers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.index = hopscope.open(SAMPLE)
        cls.ours = cls.index.evaluate("graph-rrf", k=20)["measures"]

    def means(self, name):
        return self.ours[name]["mean"]

    @needs("ir_measures")
    def test_ir_measures_computes_the_same(self):
        import ir_measures
        from ir_measures import AP, R, RR

        run, gold = self.index.run("graph-rrf", k=20), self.index.qrels()
        theirs = ir_measures.calc_aggregate([R @ 5, R @ 20], gold, run)
        self.assertAlmostEqual(theirs[R @ 5], self.means("R@5"), places=9)
        self.assertAlmostEqual(theirs[R @ 20], self.means("R@20"), places=9)

    @needs("ir_measures")
    def test_a_run_of_ir_measures_is_read(self):
        import ir_measures

        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/scored.run"
            run = self.index.run("graph-rrf", k=20)
            scored = [ir_measures.ScoredDoc(q, d, s) for q, hits in run.items() for d, s in hits.items()]
            hopscope.write_run(scored, path)
            compared = self.index.compare("graph-rrf", path, k=20)
            self.assertEqual(compared["measures"]["R@20"]["difference"], 0)

    @needs("ranx")
    def test_ranx_computes_the_same_and_its_run_is_read(self):
        from ranx import Qrels, Run, evaluate

        gold = self.index.qrels()
        run = {q: hits for q, hits in self.index.run("graph-rrf", k=20).items() if q in gold}
        run = Run(run, name="ours")
        theirs = evaluate(Qrels(gold), run, ["recall@5", "recall@20"])
        self.assertAlmostEqual(theirs["recall@5"], self.means("R@5"), places=9)
        self.assertAlmostEqual(theirs["recall@20"], self.means("R@20"), places=9)
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/ranx.run"
            hopscope.write_run(run, path)
            compared = self.index.compare("graph-rrf", path, k=20)
            self.assertEqual(compared["measures"]["R@20"]["difference"], 0)

    @needs("pyterrier")
    def test_pyterrier_runs_it_in_an_experiment(self):
        import pyterrier
        from ir_measures import R

        from hopscope.pyterrier import Retriever, qrels, topics

        ours, first = Retriever(self.index, "graph-rrf", k=20), Retriever(self.index, "bm25", k=20)
        found = ours.search("Who discovered the moon Titan?")
        self.assertEqual(list(found["rank"]), list(range(len(found))))
        judged = topics(self.index)
        judged = judged[judged["qid"].isin(self.index.qrels())]
        table = pyterrier.Experiment([first, ours], judged, qrels(self.index), [R @ 5, R @ 20], names=["bm25", "ours"])
        row = table[table["name"] == "ours"].iloc[0]
        self.assertAlmostEqual(row["R@5"], self.means("R@5"), places=9)
        # As a first stage, and fused with another by PyTerrier's own operators.
        both = (ours % 5) + (first % 5)
        self.assertGreater(len(both.search("Who discovered the moon Titan?")), 0)

    @needs("pandas")
    def test_answers_are_frames(self):
        rows = hopscope.frame(self.index.evaluate("graph-rrf", per_question=True))
        self.assertAlmostEqual(rows["R@5"].mean(), self.index.evaluate("graph-rrf")["measures"]["R@5"]["mean"])
        self.assertEqual(list(hopscope.frame(self.index.ask("q72", k=3))["rank"]), [1, 2, 3])
        measures = hopscope.frame(self.index.compare("bm25", "hop"))
        self.assertIn("judgement", measures.columns)
        with self.assertRaises(hopscope.Refused):
            hopscope.frame(self.index.status(), "nothing")


if __name__ == "__main__":
    unittest.main()
