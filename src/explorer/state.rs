//! Everything the explorer knows, as plain data. Only [`super::update::update`] writes it.

use super::action::{Action, Effect, Message};
use super::command::Command;
use super::hits::Hits;
use super::jobs::pins::Pins;
use super::jobs::reply::{Answering, Reply};
use super::jobs::score::{self, Scored};
use super::jobs::search::Search;
use super::jobs::sweep::Sweep;
use super::jobs::trials::Trials;
use super::jobs::{Running, build, doctor, hunt, learn, open, repair};
use super::keys::{Keymap, Stroke};
use super::labelling::Labelling;
use super::layout::{Arranged, Pane, Plan, View, WIDE};
use super::lesson::Playing;
use super::scene::{
    Answer, Around, Browse, Browsed, Detail, Facts, Flow, Request, Scene, Subject, Timeline, Ways,
    Whole, Why,
};
use super::store::Session;
use crate::layers::Class;
use crate::retrieve::{Parameter, Presets, Settings};
use ratatui::layout::Rect;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use tui_input::Input;

/// Which keys mean what right now.
#[derive(Clone, Debug, Default)]
pub enum Mode {
    #[default]
    Browse,
    /// The question field has the keyboard; the text as it was, for Esc.
    Edit,
    /// The first key of a chord.
    Chord(Stroke),
    /// A value for the current parameter is being typed.
    Number(Input),
    /// The weight of a seed is being changed.
    Weight(Weighing),
    Finder(Finder),
    /// The first screen, and its selected row.
    Start(usize),
    /// What narrows the focused list is being typed.
    Filter(Input),
    /// The label strip has the keyboard; what was typed of a note while one is.
    Label(Option<Input>),
}

/// The seed whose weight is open, and what was typed.
#[derive(Clone, Debug)]
pub struct Weighing {
    /// What an edit calls it.
    pub seed: String,
    pub input: Input,
}

/// A list that is narrowed by typing.
#[derive(Clone, Debug)]
pub struct Finder {
    pub kind: FinderKind,
    pub input: Input,
    pub list: List,
    pub entries: Vec<Entry>,
    /// Asked of the worker and not answered yet.
    pub searching: Option<Box<Search>>,
    /// Enter was pressed before that answer: it is meant for what will be listed.
    pub chosen: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinderKind {
    Palette,
    Methods,
    /// Parts of a composition.
    Compose,
    /// A name for a preset.
    Preset,
    /// Names and passages, to be added to the seeds.
    Seeds,
    /// Nodes of the graph that is walked, to go to one.
    Node,
    /// The same, for the end of best paths.
    End,
    /// Names that the selected one may be joined to.
    Join,
    /// Changes of the graph, and one that is typed.
    Edits,
    SavePatch,
    LoadPatch,
    History,
    /// What a model answered, and the passages it used.
    Answer,
    /// What is wrong with the index.
    Doctor,
    Lessons,
    Messages,
    /// Themes, each drawn while it is under the cursor.
    Themes,
    /// Indexes and corpora, by their paths.
    Indexes,
    Help,
}

/// One line of a finder.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub title: String,
    /// A heading over this and the following entries.
    pub heading: &'static str,
    /// The current value, or a note.
    pub now: String,
    pub key: String,
    pub help: String,
    pub shell: String,
    /// Why it cannot be done now.
    pub unavailable: Option<String>,
    pub choice: Action,
    /// Characters of the title that matched.
    pub matched: Vec<usize>,
}

impl Entry {
    /// One to read: to choose it does nothing.
    pub fn note(title: String, now: String) -> Entry {
        Entry::plain(title, now, Action::Told(Message::default()))
    }

    /// One that needs no explanation.
    pub fn plain(title: String, now: String, choice: Action) -> Entry {
        Entry {
            title,
            heading: "",
            now,
            key: String::new(),
            help: String::new(),
            shell: String::new(),
            unavailable: None,
            choice,
            matched: Vec::new(),
        }
    }
}

/// How the ways from seeds to passages are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drawn {
    #[default]
    Paths,
    /// An indented list.
    Tree,
    /// All nodes where springs put them.
    Overview,
    /// Any node and what is next to it, in columns that follow the cursor.
    Around,
}

/// Steps a second that a walk is played at.
pub const SPEEDS: [f64; 6] = [0.5, 1.0, 2.0, 4.0, 6.0, 8.0];

/// Where a list is: the selected row and the first one shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct List {
    pub cursor: usize,
    pub offset: usize,
}

impl List {
    /// The first row to show so that the cursor is among `height` rows.
    pub fn window(self, rows: usize, height: usize) -> usize {
        if height == 0 {
            return self.offset.min(rows);
        }
        let cursor = self.cursor.min(rows.saturating_sub(1));
        self.offset
            .min(cursor)
            .max((cursor + 1).saturating_sub(height))
            .min(rows.saturating_sub(height))
    }
}

/// A run of this session.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub number: usize,
    pub question: String,
    pub asked: Option<usize>,
    pub settings: Settings,
    /// The measure looked at first, where gold is known.
    pub headline: Option<(String, f64)>,
    /// Rank of every gold passage of the corpus, in the question's order.
    pub gold: Vec<Option<usize>>,
    pub seconds: f64,
}

/// A place to come back to with Esc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub subject: Subject,
    pub focus: Pane,
    /// The node that was selected there.
    pub label: String,
}

/// What a pressed mouse button holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Held {
    Slider(Parameter, Rect),
    Scrubber(Rect),
}

/// Everything the explorer knows.
#[derive(Clone, Debug)]
pub struct State {
    pub facts: Arc<Facts>,
    pub size: (u16, u16),
    pub view: View,
    /// What had the keyboard in the other views.
    pub places: BTreeMap<View, Pane>,
    pub focus: Pane,
    /// Which of Why and Neighbours was used last; they share a pane on smaller screens.
    pub lower: Pane,
    /// The focused pane fills the screen.
    pub zoom: bool,
    pub mode: Mode,
    /// A passage is open; the value is the pane to go back to.
    pub reading: Option<Pane>,
    /// Whether the text of the selected passage is shown beside the lists; none leaves that to the width.
    pub preview: Option<bool>,
    pub input: Input,
    /// Nothing was done in the open field of the question yet: a letter takes the place of the old question.
    pub untouched: bool,
    pub settings: Settings,
    /// The presets there are, those kept here too.
    pub presets: Presets,
    /// Patches of the graph in the folder of patches, by name.
    pub patches: Vec<String>,
    pub undo: Vec<Settings>,
    pub redo: Vec<Settings>,
    /// Stages of Spread that are listed whole.
    pub unfolded: BTreeSet<usize>,
    /// The part under the cursor of Why has more room for what it rests on.
    pub opened: bool,
    /// Layers of the index, those built here too.
    pub layers: Vec<String>,
    /// The layer that is being built.
    pub building: Running<build::Build>,
    /// The open sweep of a parameter.
    pub sweep: Option<Sweep>,
    /// The parameter that was swept before.
    pub swept: Option<Parameter>,
    /// The search for a question that loses gold.
    pub hunting: Running<hunt::Hunt>,
    /// The newest search for what brings a lost passage in.
    pub repairing: Running<repair::Repair>,
    /// Ranks before the last change of settings, while the question stays.
    pub before: Option<BTreeMap<u32, usize>>,
    /// What the live run is held against.
    pub pins: Pins,
    /// The set under the slider.
    pub scoring: Running<score::Scoring>,
    /// The failure class whose questions Evaluate lists.
    pub class: Option<Class>,
    /// The list that the next failing question is taken from, once one of it was opened.
    pub listed: Option<Vec<usize>>,
    /// Every method on the question.
    pub trials: Option<Trials>,
    /// What the whole set came to under a method, and under which settings.
    pub worth: BTreeMap<String, (Settings, f64)>,
    /// Runs over the whole set, oldest first.
    pub scores: VecDeque<Scored>,
    /// What a model answered.
    pub answering: Answering,
    /// The newest check-up of the index.
    pub doctoring: Running<doctor::Visit>,
    /// The order that is learned from gold and labels.
    pub learning: Running<learn::Learning>,
    /// The parameter that the slider keys move, and those that they moved last under other methods, by their names.
    pub parameter: Parameter,
    pub moved: BTreeMap<String, Parameter>,
    pub lists: BTreeMap<Pane, List>,
    /// What lists are narrowed by.
    pub filters: BTreeMap<Pane, String>,
    pub trail: Vec<Place>,
    /// The step of the walk that is shown; none is its end.
    pub step: Option<usize>,
    pub playing: bool,
    /// The lesson that is being taught.
    pub lesson: Option<Playing>,
    /// The index is a lesson's own; another one waits for its end.
    pub aside: bool,
    /// For the back row: few panes, rows apart, figures of two digits.
    pub present: bool,
    /// Place in [`SPEEDS`].
    pub speed: usize,
    /// From the end playing goes on at the start.
    pub looped: bool,
    /// Nothing moves by itself.
    pub still: bool,
    /// How the ways of Graph are drawn; none leaves that to the size of the graph.
    pub drawn: Option<Drawn>,
    /// Where one is in the neighbourhood of nodes.
    pub browse: Browse,
    /// What passages say is not shown.
    pub masked: bool,
    /// What is to be on screen.
    pub wanted: Request,
    /// The question of the set that was asked last, by its place.
    pub last_asked: Option<usize>,
    /// The newest request.
    pub asking: Running<Request>,
    /// The newest complete answer.
    pub shown: Option<Answer>,
    pub session: Vec<Run>,
    /// The theme by its name, and all that there are.
    pub theme: String,
    pub themes: Vec<String>,
    /// What this terminal was found to do.
    pub terminal: Vec<(&'static str, String)>,
    /// Indexes opened lately, newest first.
    pub indexes: Vec<String>,
    /// Another index is being opened.
    pub opening: Running<open::Open>,
    /// The last session on this index, until it is taken up.
    pub offer: Option<Box<Session>>,
    /// Questions asked, newest first.
    pub history: Vec<String>,
    /// Choices made in the palette, newest first.
    pub recent: Vec<Action>,
    pub message: Message,
    /// What the newest change of settings was announced as: what it did is added when its own answer comes.
    pub cause: String,
    /// What was said before, newest first.
    pub said: VecDeque<Message>,
    pub hits: Hits,
    pub held: Option<Held>,
    pub labelling: Labelling,
    pub keymap: Keymap<Command>,
}

impl State {
    pub fn new(facts: Arc<Facts>, settings: Settings) -> State {
        let wanted = Request {
            question: String::new(),
            asked: None,
            settings: settings.clone(),
            subject: Subject::default(),
            view: View::default(),
            browse: None,
        };
        let layers = facts.layers.clone();
        State {
            facts,
            size: (0, 0),
            view: View::default(),
            places: BTreeMap::new(),
            focus: Pane::Passages,
            lower: Pane::Why,
            zoom: false,
            mode: Mode::Browse,
            reading: None,
            preview: None,
            input: Input::default(),
            untouched: false,
            settings: settings.clone(),
            presets: Presets::default(),
            pins: Pins::new(settings.clone()),
            before: None,
            scoring: Running::Never,
            class: None,
            listed: None,
            trials: None,
            worth: BTreeMap::new(),
            scores: VecDeque::new(),
            patches: Vec::new(),
            undo: Vec::new(),
            redo: Vec::new(),
            unfolded: BTreeSet::new(),
            opened: false,
            layers,
            building: Running::Never,
            sweep: None,
            swept: None,
            hunting: Running::Never,
            repairing: Running::Never,
            answering: Answering::default(),
            doctoring: Running::Never,
            learning: Running::Never,
            parameter: favourite(&settings),
            moved: BTreeMap::new(),
            lists: BTreeMap::new(),
            filters: BTreeMap::new(),
            trail: Vec::new(),
            step: None,
            playing: false,
            lesson: None,
            aside: false,
            present: false,
            speed: SPEEDS.iter().position(|&speed| speed == 4.0).unwrap_or(0),
            looped: false,
            still: false,
            drawn: None,
            browse: Browse::default(),
            masked: false,
            wanted,
            last_asked: None,
            asking: Running::Never,
            shown: None,
            session: Vec::new(),
            theme: String::new(),
            themes: Vec::new(),
            terminal: Vec::new(),
            indexes: Vec::new(),
            opening: Running::Never,
            offer: None,
            history: Vec::new(),
            recent: Vec::new(),
            message: Message::default(),
            cause: String::new(),
            said: VecDeque::new(),
            hits: Hits::default(),
            held: None,
            labelling: Labelling::default(),
            keymap: default_keymap(),
        }
    }

    /// Begins on a lesson's own corpus, as another one is looked at.
    pub fn begin_aside(&mut self, other: &State) {
        self.aside = true;
        self.size = other.size;
        self.present = other.present;
        self.masked = other.masked;
        self.still = other.still;
        self.speed = other.speed;
        self.keymap = other.keymap.clone();
    }

    /// Says something in the status line, and asks nothing of the world.
    pub fn say(&mut self, message: Message) -> Vec<Effect> {
        self.message = message;
        Vec::new()
    }

    /// Whether the rows of a pane stand in columns beside each other.
    pub fn in_columns(&self, pane: Pane) -> bool {
        match pane {
            Pane::Flow => true,
            Pane::Paths => self.drawn() != Drawn::Tree,
            _ => false,
        }
    }

    /// # Errors
    /// Why there are no steps to go through.
    pub fn can_step(&self) -> Result<(), String> {
        match self.steps() {
            0 if self.scene().is_none() => Err("there is no result yet".into()),
            0 | 1 if self.scene().is_some_and(|s| s.story.is_some()) => {
                Err(format!("{} has no timeline", self.settings.method().name))
            }
            0 | 1 => Err(format!(
                "{} has no steps; m chooses a method that walks",
                self.settings.method().name
            )),
            _ => Ok(()),
        }
    }

    pub fn scene(&self) -> Option<&Scene> {
        self.shown.as_ref().map(|answer| &*answer.scene)
    }

    pub fn detail(&self) -> Option<&Detail> {
        self.shown.as_ref().map(|answer| &*answer.detail)
    }

    /// The selected passage, explained.
    pub fn why(&self) -> Option<&Why> {
        self.detail()?.passage.as_ref()
    }

    /// The selected node, and what is next to it.
    pub fn around(&self) -> Option<&Around> {
        self.detail()?.node.as_ref()
    }

    /// The question on screen and its settings.
    pub fn on_screen(&self) -> Option<(&str, &Settings)> {
        let scene = self.scene()?;
        Some((&scene.question, &scene.settings))
    }

    /// What a model answered to it.
    pub fn reply(&self) -> Option<&Reply> {
        let (question, settings) = self.on_screen()?;
        self.answering.known(question, settings)
    }

    /// A newer answer is on its way.
    pub fn running(&self) -> bool {
        self.asking.going()
    }

    /// Why the newest request failed, if it did.
    pub fn failure(&self) -> Option<&str> {
        match &self.asking {
            Running::Failed { why, .. } => Some(why),
            _ => None,
        }
    }

    /// What is on screen belongs to another question or other settings than those wanted.
    pub fn stale(&self) -> bool {
        self.running() && self.outdated()
    }

    /// Whether that is so, though no answer may be on its way.
    pub fn outdated(&self) -> bool {
        (self.running() || self.failure().is_some()) && self.differs()
    }

    /// Whether what is wanted is another question, or other settings, than those of the scene.
    pub fn differs(&self) -> bool {
        self.scene().is_some_and(|scene| {
            scene.question != self.wanted.question || scene.settings != self.wanted.settings
        })
    }

    /// Ranks that those on screen are held against: of the first run pinned by hand, else of the run before.
    pub fn against(&self) -> Option<&BTreeMap<u32, usize>> {
        let pin = self.pins.first();
        let pinned = self.pins.by_hand && pin.scene(&self.wanted.question).is_some();
        match pinned {
            true if self
                .scene()
                .is_some_and(|live| live.settings == pin.settings) =>
            {
                None
            }
            true => Some(&pin.ranks),
            false => self.before.as_ref(),
        }
    }

    pub fn list(&self, pane: Pane) -> List {
        self.lists.get(&pane).copied().unwrap_or_default()
    }

    /// Whether the text of the selected passage has a place beside the lists.
    pub fn previews(&self, width: u16) -> bool {
        let unasked = self.view == View::Explore && !self.present && width >= WIDE;
        self.reading.is_none()
            && !matches!(self.view, View::Evaluate | View::Annotate)
            && self.preview.unwrap_or(unasked)
    }

    pub fn plan(&self, area: Rect) -> Plan {
        Plan::new(
            area,
            Arranged {
                view: self.view,
                present: self.present,
                lesson: self.lesson.as_ref().map_or(0, |playing| {
                    playing.rows(self.scene(), area.width, self.present)
                }),
                focus: self.focus,
                lower: self.lower,
                zoom: self.zoom,
                reading: self.reading.is_some(),
                preview: self.previews(area.width),
                steps: {
                    let method = self.settings.method();
                    method.walks() || method.tells()
                },
            },
        )
    }

    /// Score moving, where it was made for what is on screen.
    pub fn flow(&self) -> Option<&Flow> {
        self.detail()?.flow.as_deref()
    }

    /// Ways from seeds to passages, where they were made for what is on screen.
    pub fn ways(&self) -> Option<&Ways> {
        self.detail()?.ways.as_deref()
    }

    /// How the ways of Graph are drawn: a graph that is small enough is drawn whole unless something else was chosen.
    pub fn drawn(&self) -> Drawn {
        let small = self.scene().is_some_and(|scene| scene.whole.is_some());
        self.drawn.unwrap_or(match small {
            true => Drawn::Overview,
            false => Drawn::Paths,
        })
    }

    /// All of a small graph, where Graph draws it.
    pub fn whole(&self) -> Option<&Whole> {
        let whole = self.scene()?.whole.as_deref();
        whole.filter(|_| self.drawn() == Drawn::Overview)
    }

    /// The neighbourhood of nodes, where Graph draws it and it was made for what is on screen.
    pub fn browsed(&self) -> Option<&Browsed> {
        let browsed = self.detail()?.browsed.as_deref();
        browsed.filter(|_| self.drawn() == Drawn::Around)
    }

    /// Whether the keys of the neighbourhood count.
    pub fn browses(&self) -> bool {
        self.view == View::Graph && self.focus == Pane::Paths && self.drawn() == Drawn::Around
    }

    /// The picture that a pane draws in columns.
    pub fn columns(&self, pane: Pane) -> Option<&Flow> {
        match pane {
            Pane::Flow => self.flow(),
            Pane::Paths => match self.whole() {
                _ if self.drawn() == Drawn::Around => self.browsed().map(|browsed| &browsed.flow),
                Some(whole) => Some(&whole.flow),
                None => self.ways().map(|ways| &ways.flow),
            },
            _ => None,
        }
    }

    /// The step of it that is shown.
    pub fn flow_step(&self) -> usize {
        let steps = self.flow().map_or(0, |flow| flow.steps.len());
        let last = steps.saturating_sub(1);
        self.earlier_step().unwrap_or(last).min(last)
    }

    /// What happened step by step.
    pub fn timeline(&self) -> Option<&Timeline> {
        self.scene()?.timeline.as_ref()
    }

    /// How many steps can be shown.
    pub fn steps(&self) -> usize {
        self.timeline().map_or(0, |timeline| timeline.steps.len())
    }

    /// The step that is shown when it is not the end.
    pub fn earlier_step(&self) -> Option<usize> {
        self.step.filter(|step| step + 1 < self.steps())
    }

    /// What the title of a pane says while an earlier step is shown: which one, of a pane that follows, and of one that
    /// stays that it shows the end. Empty at the end.
    pub fn moment(&self, follows: bool) -> String {
        match self.timeline().zip(self.earlier_step()) {
            Some((timeline, step)) if follows => format!(" at {}", timeline.place(step)),
            Some(_) => " at the end".to_owned(),
            None => String::new(),
        }
    }
}

/// The parameter a person most likely turns first.
pub fn favourite(settings: &Settings) -> Parameter {
    let uses = settings.method().uses();
    let liked = [
        Parameter::Alpha,
        Parameter::Hops,
        Parameter::Theta,
        Parameter::EdgePercentile,
        Parameter::EdgePolicy,
        Parameter::FuseDense,
        Parameter::ContextTokens,
        Parameter::Bm25K1,
        Parameter::ResultK,
    ];
    liked
        .into_iter()
        .find(|p| uses.contains(p))
        .or(uses.first().copied())
        .unwrap_or(Parameter::ResultK)
}

/// The keys of the command table. A test proves that none of them is misspelt or taken twice.
pub fn default_keymap() -> Keymap<Command> {
    let mut keymap = Keymap::new();
    for command in Command::all() {
        for chord in command
            .keys()
            .into_iter()
            .filter_map(|key| key.parse().ok())
        {
            if keymap.bind(chord, command).is_err() {
                debug_assert!(false, "{chord} is bound twice");
            }
        }
    }
    keymap
}

/// Puts the keys of a person's `keymap.toml` over the table's. Gives back what is wrong with the file.
pub fn rebind(state: &mut State, file: &std::path::Path) -> Vec<String> {
    let text = match super::store::read(file) {
        Ok(Some(text)) => text,
        Ok(None) => return Vec::new(),
        Err(said) => return vec![said],
    };
    let ids: Vec<String> = Command::all().map(Command::id).collect();
    let known: Vec<&str> = ids.iter().map(String::as_str).collect();
    let (overrides, mut problems) =
        super::keys::Overrides::parse(&file.display().to_string(), &text, &known);
    problems.extend(state.keymap.apply(&overrides, Command::from_id));
    problems
        .into_iter()
        .map(|problem| problem.to_string())
        .collect()
}
