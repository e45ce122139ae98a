//! The pen, driven by keys on the bundled sample: labels, the queue, what is hidden, and what a label keeps.

use crate::support::{sample, screen, stage, stage_at};
use hopscope::evaluate::labels::{Cause, Label};
use hopscope::evaluate::{Doubtful, Doubts};
use hopscope::explain::why_not;
use hopscope::explorer::action::{Action, Effect};
use hopscope::explorer::jobs::{Listed, News, Work};
use hopscope::explorer::labelling::{Item, Kind};
use hopscope::explorer::layout::{Pane, View};
use hopscope::explorer::scene::Request;
use hopscope::explorer::stage::Stage;
use hopscope::explorer::state::Mode;
use hopscope::explorer::update::update;
use hopscope::retrieve::{Keep, Retriever, Settings};
use std::collections::BTreeSet;

/// In Annotate, with the set asked.
fn annotate(width: u16, height: u16) -> Stage {
    let mut stage = stage_at(width, height);
    stage.scores = true;
    stage.state.labelling.annotator = "em".into();
    stage.press("6");
    stage.draw(width, height);
    stage
}

fn newest(stage: &Stage) -> Label {
    stage.state.labelling.labels.newest("em").unwrap().clone()
}

#[test]
fn the_queue_is_the_lost_gold_of_the_set_and_its_doubts() {
    let stage = annotate(120, 36);
    let index = sample();
    let mut settings: Settings = stage.state.settings.clone();
    settings.restore_seeds();
    let (mut retriever, doubts) = (Retriever::new(index.clone()), Doubts::new(&index));
    let mut wanted = BTreeSet::new();
    for (at, question) in index.questions().iter().enumerate() {
        if question.wanted() == 0 {
            continue;
        }
        let run = retriever
            .retrieve(&question.text, &settings, Keep::Scores)
            .unwrap();
        let mut own = BTreeSet::new();
        for gold in &question.gold {
            if let Some(first) = why_not(&index, &run, gold.passage).first() {
                own.insert(gold.passage);
                wanted.insert((Kind::Lost(first.class), at, gold.passage));
            }
        }
        let ranking: Vec<u32> = run.passages.iter().map(|hit| hit.passage).collect();
        for doubt in doubts.of(&index, question, &ranking) {
            if own.insert(doubt.passage) {
                wanted.insert((Kind::Doubt(doubt.why), at, doubt.passage));
            }
        }
    }
    let queue = stage.state.queue();
    let listed: Vec<_> = queue
        .iter()
        .map(|item| (item.kind, item.at.unwrap(), item.passage))
        .collect();
    assert!(listed.is_sorted_by_key(|item| (item.0, item.1)));
    assert_eq!(BTreeSet::from_iter(listed.iter().copied()), wanted);
    assert_eq!(listed.len(), wanted.len());
    assert!(wanted.iter().any(|item| matches!(item.0, Kind::Lost(_))));
    assert!(
        wanted
            .iter()
            .any(|item| item.0 == Kind::Doubt(Doubtful::AnswerElsewhere))
    );
    for item in &queue {
        assert_eq!(item.id, index.id(item.passage));
    }
}

#[test]
fn labels_are_given_one_after_the_other_and_say_what_was_there() {
    let mut stage = annotate(120, 36);
    let first = stage.state.queue()[0].clone();
    stage.press("Enter");
    assert!(matches!(stage.state.mode, Mode::Label(None)));
    assert_eq!(stage.state.wanted.asked, first.at);
    assert_eq!(stage.state.wanted.subject.passage, Some(first.passage));
    // Digits are grades here, and the same again takes back; a letter is a cause.
    stage.press("1 2 2 2 e g + n");
    stage.type_text("seen 2 times");
    stage.press("Enter Enter");
    let label = newest(&stage);
    let index = sample();
    let asked = &index.questions()[first.at.unwrap()];
    assert_eq!((&label.question, &label.text), (&asked.id, &asked.text));
    assert_eq!((&*label.passage, &*label.annotator), (&*first.id, "em"));
    assert_eq!((label.grade, label.cause), (Some(2), Some(Cause::Graph)));
    assert_eq!((label.gold, &*label.note), (Some(true), "seen 2 times"));
    assert_eq!(label.index, index.fingerprint());
    assert_eq!(label.method, "graph-hybrid");
    assert!(
        label.settings.starts_with("--method graph-hybrid"),
        "{}",
        label.settings
    );
    let Kind::Lost(class) = first.kind else {
        panic!("lost gold comes first");
    };
    let said = label.said.unwrap();
    assert_eq!(said.class, class);
    assert!(!label.shown && !label.blind && !label.withdrawn);
    // The next one is on screen, the strip still open.
    let second = stage.state.queue()[1].clone();
    assert!(matches!(stage.state.mode, Mode::Label(None)));
    assert_eq!(stage.state.wanted.subject.passage, Some(second.passage));
    assert_eq!(stage.state.view, View::Annotate);
    // Nothing said is nothing saved.
    stage.press("Enter");
    assert!(stage.state.message.text.contains("nothing to save yet"));
    assert_eq!(stage.state.labelling.labels.count("em"), 1);
    // What the program says is told when asked for, and the label says that it was.
    assert!(!screen(&mut stage).contains(said.code.name()));
    stage.press("t");
    let told = screen(&mut stage);
    let code = stage.state.said().unwrap().code.name();
    assert!(told.contains(code), "{told}");
    stage.press("r Enter");
    assert!(newest(&stage).shown);
    // Taken back, the one before is the newest.
    stage.press("z");
    assert_eq!(newest(&stage).passage, first.id);
    assert_eq!(stage.state.labelling.labels.count("em"), 1);
    // Its row is back under the cursor.
    assert_eq!(stage.state.wanted.subject.passage, Some(second.passage));
    stage.press("Esc");
    assert!(matches!(stage.state.mode, Mode::Browse));
    // What was said of a passage stands in the strip when it comes again.
    stage.press("Up");
    let draft = stage.state.draft().unwrap();
    assert_eq!(
        (draft.grade, draft.cause, &*draft.note),
        (Some(2), Some(Cause::Graph), "seen 2 times")
    );
}

#[test]
fn the_end_of_a_queue_is_told() {
    let mut stage = annotate(120, 36);
    let count = stage.state.queue().len();
    stage.press("Enter");
    for _ in 0..count {
        stage.press("2 Enter");
    }
    assert_eq!(stage.state.labelling.labels.count("em"), count);
    assert!(
        stage
            .state
            .message
            .text
            .contains("everything in this queue is labelled")
    );
    assert!(screen(&mut stage).contains(&format!("{count} of {count} done")));
}

#[test]
fn keys_wait_for_the_passage_they_are_meant_for() {
    let mut stage = annotate(120, 36);
    stage.press("Enter");
    let queue = stage.state.queue();
    // The answers of a real worker come later than the keys.
    let mut asked = Vec::new();
    let mut late = stage.state.clone();
    let turn = |state: &mut _, action: Action, asked: &mut Vec<Effect>| {
        let mut open = vec![action];
        while let Some(action) = open.pop() {
            for effect in update(state, action) {
                match effect {
                    Effect::KeepLabel(label) => open.push(Action::Labelled(Ok(label))),
                    Effect::Begin(Work::Ask(_)) => asked.push(effect),
                    _ => {}
                }
            }
        }
    };
    let key = |text: &str| {
        let stroke: hopscope::explorer::keys::Stroke = text.parse().unwrap();
        Action::Key(crossterm::event::KeyEvent::new(
            stroke.code(),
            stroke.modifiers(),
        ))
    };
    for text in ["2", "Enter", "0", "d", "Enter", "1", "Enter"] {
        turn(&mut late, key(text), &mut asked);
    }
    assert_eq!(
        late.labelling.labels.count("em"),
        1,
        "the second passage is not there yet"
    );
    let mut engine = hopscope::explorer::engine::Engine::new(sample());
    while let Some(Effect::Begin(Work::Ask(request))) = asked.pop() {
        asked.clear();
        let answer = engine.answer(&request).unwrap();
        let news: News<Request> = News::Over(Some(answer));
        turn(&mut late, Action::Heard(Listed::news(news)), &mut asked);
    }
    let given = late.labelling.labels.standing();
    let given: Vec<_> = given
        .iter()
        .map(|l| (&*l.passage, l.grade, l.cause))
        .collect();
    assert_eq!(
        given,
        [
            (&*queue[0].id, Some(2), None),
            (&*queue[1].id, Some(0), Some(Cause::Data)),
            (&*queue[2].id, Some(1), None)
        ]
    );
}

#[test]
fn kinds_are_listed_alone() {
    let mut stage = annotate(120, 36);
    let all = stage.state.queue();
    let kinds = stage.state.kinds();
    let of = |kind: Kind| all.iter().filter(|item| item.kind == kind).count();
    for (kind, done, count) in &kinds {
        stage.press("Right");
        assert_eq!(stage.state.labelling.kind, Some(*kind));
        assert_eq!((stage.state.queue().len(), *done), (*count, 0));
        if *kind != Kind::Here {
            assert_eq!(*count, of(*kind));
        }
        let shown = screen(&mut stage);
        assert!(
            shown.contains(&format!("Queue: {}", kind.name())),
            "{shown}"
        );
    }
    assert_eq!(kinds.last().unwrap().0, Kind::Here);
    stage.press("Right");
    assert_eq!(stage.state.queue(), all);
    // A queue of one class tells the class: the label says so.
    stage.press("Right Enter 2 Enter");
    assert!(newest(&stage).shown);
}

#[test]
fn a_blind_annotator_sees_no_gold_no_rank_and_no_verdict() {
    for (width, height) in [(160, 48), (100, 30), (80, 24)] {
        let mut stage = annotate(width, height);
        let at = |stage: &Stage| {
            let wanted = &stage.state.wanted;
            let here = |item: &Item| {
                item.at == wanted.asked && Some(item.passage) == wanted.subject.passage
            };
            stage.state.queue().iter().position(here)
        };
        let kind = stage.state.queue()[at(&stage).unwrap()].kind;
        assert!(matches!(kind, Kind::Lost(_)));
        stage.press("b");
        stage.press("Enter");
        let queue = stage.state.queue();
        assert!(queue.is_sorted_by_key(|item| (item.at, item.passage)));
        // Opened where the work is: at lost gold, which nothing on screen says.
        assert_eq!(queue[at(&stage).unwrap()].kind, kind);
        let why = stage.state.detail().unwrap().passage.clone().unwrap();
        assert!(why.gold);
        for focus in [Pane::Queue, Pane::Reader, Pane::Label] {
            stage.state.focus = focus;
            stage.state.message = Default::default();
            let shown = screen(&mut stage);
            for hidden in [
                "rank ",
                "lost gold",
                "R@5",
                "RR ",
                "stays gold",
                "nDCG",
                "gold  \u{2190}",
                "2 gold",
                "3 gold",
            ] {
                assert!(
                    !shown.contains(hidden),
                    "{hidden:?} at {width}x{height}\n{shown}"
                );
            }
        }
        stage.press("1 Enter");
        let label = newest(&stage);
        assert!(label.blind && !label.shown);
        stage.press("b Esc");
        assert!(!stage.state.blind());
    }
}

#[test]
fn the_strip_opens_in_any_view_over_the_passage_there() {
    let mut stage = stage();
    stage.state.labelling.annotator = "em".into();
    for (view, key) in [("1", "A 2"), ("2", "e l 1"), ("5", "A 0")] {
        stage.press(view);
        stage.press("1");
        stage.press(view);
        stage.press(key);
        assert!(matches!(stage.state.mode, Mode::Label(None)));
        assert!(screen(&mut stage).contains("grade  0"), "{view}");
        stage.press("Enter");
        assert!(matches!(stage.state.mode, Mode::Browse), "{view}");
    }
    let label = newest(&stage);
    assert!(label.shown, "the verdict stands in Why");
    let why = stage.state.detail().unwrap().passage.clone().unwrap();
    assert_eq!(label.rank, why.rank);
}

#[test]
fn a_typed_question_is_given_gold() {
    let mut stage = stage();
    stage.state.labelling.annotator = "em".into();
    stage.act(Action::Ask("Which moon has rivers of methane?".into()));
    stage.press("A + Enter");
    let label = newest(&stage);
    assert_eq!((&*label.question, label.gold), ("", Some(true)));
    let made = hopscope::evaluate::labels::corrected(&sample(), &stage.state.labelling.labels);
    let grown = made.questions.last().unwrap();
    assert_eq!(grown.text, "Which moon has rivers of methane?");
    let passage = stage.state.wanted.subject.passage.unwrap();
    assert_eq!(grown.gold[0].passage, passage);
    // Its queue is what it returns.
    stage.press("6");
    let ranked = stage.state.scene().unwrap().passages[0].passage;
    assert_eq!(stage.state.queue()[0].passage, ranked);
    assert_eq!(stage.state.queue()[0].kind, Kind::Here);
}

#[test]
fn the_answer_is_marked_where_it_stands() {
    let mut stage = annotate(120, 36);
    let queue = stage.state.queue();
    let row = queue
        .iter()
        .position(|item| item.kind == Kind::Doubt(Doubtful::AnswerElsewhere));
    let item = &queue[row.unwrap()];
    stage.state.lists.entry(Pane::Queue).or_default().cursor = row.unwrap();
    stage.press("Enter");
    let why = stage.state.detail().unwrap().passage.clone().unwrap();
    let marked: Vec<&str> = why
        .marks
        .iter()
        .filter(|mark| mark.kind == hopscope::explorer::scene::MarkKind::Answer)
        .map(|mark| &why.text[mark.range.clone()])
        .collect();
    let index = sample();
    let asked = &index.questions()[item.at.unwrap()];
    let inside = |answer: &String| marked.iter().any(|m| m.eq_ignore_ascii_case(answer));
    let titled = |answer: &String| why.title.to_lowercase().contains(&answer.to_lowercase());
    assert!(
        asked.answers.iter().any(|a| inside(a) || titled(a)),
        "{marked:?} {asked:?}"
    );
}

#[test]
fn the_copied_command_takes_the_labels_out() {
    let mut stage = annotate(120, 36);
    stage.press("C");
    assert_eq!(
        stage.copied.last().unwrap().0,
        "hopscope labels --as qrels --out gold.tsv"
    );
    stage.state.labelling.file = "my labels.jsonl".into();
    stage.press("C");
    assert_eq!(
        stage.copied.last().unwrap().0,
        "hopscope labels '' 'my labels.jsonl' --as qrels --out gold.tsv"
    );
}
