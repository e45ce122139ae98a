//! `why` and `why_not`: one passage of a run.

use super::ask::entries;
use super::refusal::Refusal;
use super::runs::{self, Asked, no_effect};
use super::{Arguments, GoOn, Session, present, read};
use crate::cli::explain::Explained;
use crate::layers::Class;
use crate::parameters::RESULT_K;
use crate::retrieve::{Keep, Retrieval, Retriever, Settings};
use serde::Deserialize;
use serde_json::{Value, json};

/// Most parts of another passage's score that are compared: those that it has most more of.
const BESIDE: usize = 8;
/// A part below this is not listed.
const LEAST: f64 = 5e-7;

#[derive(Deserialize)]
struct Why {
    question: String,
    passage: String,
    #[serde(flatten)]
    asked: Asked,
    than: Option<String>,
    #[serde(default)]
    repairs: bool,
}

/// A run and the passage that is asked about.
struct Subject {
    name: String,
    settings: Settings,
    run: Retrieval,
    passage: u32,
    than: Option<u32>,
}

impl Why {
    fn subject(&self, session: &Session) -> Result<Subject, Refusal> {
        let (text, _) = runs::question(session, &self.question)?;
        let passage = runs::passage(session, &self.passage)?;
        let than = self.than.as_deref().map(|id| runs::passage(session, id));
        let than = than.transpose()?;
        let (name, settings) = self.asked.settings(session)?;
        let mut retriever = Retriever::new(session.index.clone());
        let run = retriever.retrieve(text, &settings, Keep::States)?;
        Ok(Subject {
            name,
            settings,
            run,
            passage,
            than,
        })
    }
}

impl Subject {
    /// What both tools begin with.
    fn head(&self, whole: &Value) -> Value {
        let returned = self.run.top().iter().any(|hit| hit.passage == self.passage);
        json!({
            "passage": whole["id"],
            "title": whole["title"],
            "method": self.name,
            "rank": whole["rank"],
            "k": self.settings.get(RESULT_K),
            "returned": returned,
            "no_effect": no_effect(&self.run),
        })
    }
}

pub fn why(session: &Session, arguments: Arguments, _: GoOn) -> Result<Value, Refusal> {
    let args: Why = read(arguments)?;
    let subject = args.subject(session)?;
    let explained = Explained::of(&session.index, &subject.run, subject.passage, subject.than);
    let whole = explained.json();
    let sum = whole["combine"] == "sum";
    let score = whole["score"].as_f64();
    let mut parts: Vec<&Value> = entries(&whole["parts"]).iter().collect();
    let value = |part: &Value| part["value"].as_f64().unwrap_or(0.0);
    parts.retain(|part| value(part).abs() >= LEAST);
    parts.sort_by(|a, b| value(b).total_cmp(&value(a)));
    let parts = parts.into_iter().map(|part| {
        let share = score.filter(|score| sum && *score != 0.0);
        let share = share.map(|score| value(part) / score);
        present(
            json!({"label": part["label"], "value": part["value"], "share": share, "why": part["why"]}),
        )
    });
    let paths = entries(&whole["paths"]).iter().map(|path| {
        let nodes = entries(&path["nodes"]).iter();
        let nodes: Vec<&str> = nodes.filter_map(|node| node["label"].as_str()).collect();
        json!({"mass": path["mass"], "path": nodes.join(" > ")})
    });
    let mut answer = subject.head(&whole);
    answer["score"] = whole["score"].clone();
    answer["why"] = whole["why"].clone();
    answer["sum"] = json!(sum);
    answer["parts"] = parts.collect();
    answer["paths"] = paths.collect();
    answer["than"] = beside(&subject, &whole, session);
    answer["text"] = whole["text"].clone();
    Ok(present(answer))
}

pub fn why_not(session: &Session, arguments: Arguments, go_on: GoOn) -> Result<Value, Refusal> {
    let args: Why = read(arguments)?;
    let subject = args.subject(session)?;
    let passage = subject.passage;
    let mut explained = Explained::of(&session.index, &subject.run, passage, subject.than);
    if args.repairs {
        explained.look(false, go_on)?;
    }
    let whole = explained.json();
    let verdicts = entries(&whole["reasons"]).iter().map(|reason| {
        present(json!({
            "code": reason["code"], "class": reason["class"], "meaning": meaning(&reason["class"]),
            "text": reason["text"], "cause": reason["cause"], "fix": reason["fix"],
        }))
    });
    let alike = entries(&whole["look_alikes"]).iter();
    let alike = alike.map(|alike| alike["sentence"].clone());
    let mut answer = subject.head(&whole);
    answer["gap"] = whole["short"].clone();
    answer["verdicts"] = verdicts.collect();
    answer["repairs"] = repairs(&subject.name, &whole["repairs"]);
    answer["hop"] = whole["hop"].clone();
    answer["over"] = whole["over"].clone();
    answer["look_alikes"] = alike.collect();
    answer["than"] = beside(&subject, &whole, session);
    Ok(present(answer))
}

/// What a failure class is.
fn meaning(class: &Value) -> Option<&'static str> {
    let all = Class::ALL.iter();
    let mut all = all.filter(|known| class == known.name());
    all.next().map(|known| known.about())
}

/// The parts that the other passage has most more of.
fn beside(subject: &Subject, whole: &Value, session: &Session) -> Value {
    let than = &whole["than"];
    let Some(id) = than["other"].as_str() else {
        return Value::Null;
    };
    let gap = |part: &Value| {
        let of = |side: &str| part[side].as_f64().unwrap_or(0.0);
        of("other") - of("own")
    };
    let mut parts: Vec<&Value> = entries(&than["parts"]).iter().collect();
    parts.sort_by(|a, b| gap(b).abs().total_cmp(&gap(a).abs()));
    let parts = parts.into_iter().take(BESIDE);
    let parts = parts
        .map(|part| json!({"label": part["label"], "own": part["own"], "other": part["other"]}));
    let rank = session.index.passage_by_id(id);
    let rank = rank.and_then(|other| subject.run.rank(other));
    present(
        json!({"passage": id, "rank": rank, "score": than["scores"][1],
                   "parts": parts.collect::<Vec<_>>()}),
    )
}

/// The changes that were found; one of a setting also as the RUN that has it.
fn repairs(name: &str, whole: &Value) -> Value {
    if whole.is_null() {
        return Value::Null;
    }
    let found = entries(&whole["found"]).iter().map(|repair| {
        let run = repair["change"]["set"].as_str();
        let run = run.map(|set| with(name, set));
        present(
            json!({"change": repair["change"], "rank": repair["rank"], "moves": repair["moves"],
                       "run": run}),
        )
    });
    json!({"tried": whole["tried"], "of": whole["of"], "found": found.collect::<Vec<_>>(),
           "forced": entries(&whole["forced"]).len()})
}

/// A RUN with a parameter set, in the place of what it had before.
fn with(run: &str, set: &str) -> String {
    let parameter = |assignment: &str| {
        let name = assignment.split_once('=');
        name.map(|(name, _)| name.trim().to_owned())
    };
    let mut kept: Vec<&str> = run.split('@').collect();
    let head = kept.remove(0);
    kept.retain(|own| parameter(own) != parameter(set));
    let kept = kept.into_iter().chain([set]);
    kept.fold(head.to_owned(), |run, own| format!("{run}@{own}"))
}

#[cfg(test)]
mod tests {
    use super::with;

    #[test]
    fn a_repair_takes_the_place_of_the_setting_it_changes() {
        assert_eq!(with("hop", "hub_p=0"), "hop@hub_p=0");
        let run = with("a=hop@ranker=off@alpha=.3", "ranker=shipped");
        assert_eq!(run, "a=hop@alpha=.3@ranker=shipped");
    }
}
