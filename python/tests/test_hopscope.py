"""The package against the program: the same index, the same answers."""

import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import hopscope

SAMPLE = str(pathlib.Path(__file__).parents[2] / "sample-corpus")
TITAN = "Who discovered the moon Titan?"


def program(*arguments):
    done = subprocess.run([sys.executable, "-m", "hopscope", *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


class Calls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.index = hopscope.open(SAMPLE)

    def test_an_answer_is_the_one_of_the_command_line(self):
        answer = self.index.ask(TITAN, method="graph-rrf", k=5)
        printed = hopscope.command("ask", SAMPLE, TITAN, method="graph-rrf", top=5)
        ids = [passage["id"] for passage in answer["passages"]]
        self.assertEqual(ids, [passage["id"] for passage in printed["passages"]])
        self.assertEqual(len(ids), 5)

    def test_a_bound_is_kept_and_without_one_all_is_there(self):
        short = self.index.evaluate("graph", max_tokens=300)
        whole = self.index.evaluate("graph", per_question=True)
        self.assertLessEqual(len(json.dumps(short, separators=(",", ":"))), 900)
        self.assertIn("left_out", short)
        self.assertNotIn("left_out", whole)
        self.assertEqual(len(whole["missed"]), whole["losses"]["lost"])
        mean = sum(row["R@5"] for row in whole["per_question"] if "R@5" in row) / whole["questions"]
        self.assertAlmostEqual(mean, whole["measures"]["R@5"]["mean"])

    def test_a_lost_passage_is_explained_and_repaired(self):
        lost = self.index.why_not("q30", "orsted", method="graph", repairs=True)
        self.assertEqual(lost["verdicts"][0]["code"], "QUERY_ENTITY_NOT_LINKED")
        found = lost["repairs"]["found"][0]
        again = self.index.explain("q30", "orsted", method=found["run"])
        self.assertEqual(again["rank"], found["rank"])
        self.assertTrue(again["returned"])

    def test_what_to_know_of_reading_is_kept_and_not_printed(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "note.md").write_text("# Titan\n\nHuygens saw the moon Titan.\n")
            pathlib.Path(folder, "paper.pdf").write_bytes(b"%PDF-1.4\n")
            code = "import hopscope, sys; print(*hopscope.open(sys.argv[1]).report)"
            done = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=True)
        self.assertIn("paper.pdf", done.stdout)
        self.assertEqual(done.stderr, "")
        self.assertIn("2 gold links unresolved", self.index.report[0])

    def test_a_refusal_has_a_remedy(self):
        with self.assertRaises(hopscope.Refused) as refused:
            self.index.ask(TITAN, method="hpo")
        self.assertIn("hop", refused.exception.options)
        self.assertIn("did you mean", refused.exception.hint)
        with self.assertRaises(hopscope.Refused) as refused:
            hopscope.open("/nowhere/at/all")
        self.assertIn("/nowhere/at/all", str(refused.exception))
        with self.assertRaises(hopscope.Refused) as refused:
            hopscope.command("ask", SAMPLE, TITAN, method="hpo")
        self.assertIn("hpo", str(refused.exception))

    def test_runs_and_gold_are_those_of_the_evaluation(self):
        run, gold = self.index.run("bm25", k=5), self.index.qrels()
        self.assertEqual(set(run), {question["id"] for question in self.index.questions()})
        for hits in run.values():
            scores = list(hits.values())
            self.assertLessEqual(len(hits), 5)
            self.assertEqual(scores, sorted(set(scores), reverse=True))
        recall = [len(set(run[q]) & set(wanted)) / len(wanted) for q, wanted in gold.items()]
        measured = self.index.evaluate("bm25", k=5)["measures"]["R@5"]["mean"]
        self.assertAlmostEqual(sum(recall) / len(recall), measured)

    def test_a_run_that_is_written_can_be_compared(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/theirs.run"
            hopscope.write_run(self.index.run("bm25", k=20), path)
            compared = self.index.compare("bm25", path)
            self.assertEqual(compared["measures"]["R@5"]["difference"], 0)

    def test_threads_ask_at_once(self):
        expected = self.index.ask(TITAN)
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(self.index.ask(TITAN))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, [expected] * 8)

    def test_every_call_has_a_method_with_its_arguments(self):
        import inspect

        names = {"open_status": "status"}
        for call in hopscope.schema()["calls"]:
            method = getattr(hopscope.Index, names.get(call["call"], call["call"]))
            own = set(inspect.signature(method).parameters) - {"self"}
            arguments = set(call["arguments"]["properties"])
            self.assertEqual(own | {"max_tokens"}, arguments | {"max_tokens"}, call["call"])
            self.assertTrue(method.__doc__)


class Tuning(unittest.TestCase):
    def test_a_learned_order_is_used_as_a_run(self):
        index = hopscope.open(SAMPLE)
        with tempfile.TemporaryDirectory() as folder:
            out = f"{folder}/own.json"
            report = index.tune(out)
            self.assertTrue(pathlib.Path(out).exists())
            self.assertTrue(report)
            self.assertIn("measures", index.evaluate(f"hop@ranker={out}"))
        with self.assertRaises(hopscope.Refused):
            hopscope.open().tune("own.json")


class Program(unittest.TestCase):
    def test_the_command_line_is_the_program(self):
        code, out, _ = program("--version")
        self.assertEqual((code, out.split()[0]), (0, "hopscope"))
        self.assertEqual(program("ask", SAMPLE, TITAN, "--method", "hpo")[0], 2)
        code, _, error = program("eval", SAMPLE, "--method", "bm25", "--fail-under", "R@5=1")
        self.assertEqual(code, 1)
        self.assertIn("below", error)


if __name__ == "__main__":
    unittest.main()
