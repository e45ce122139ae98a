//! Every command, declared once. The hint bar, the panel of a begun chord, help, the palette, the bindings and the
//! tests are all read from this table, so what is promised and what works cannot drift apart.

use crate::retrieve::Parameter;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

named! {
    /// Where help lists a command.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Group, title {
        Question "Question",
        Moving "Moving",
        Panes "Panes",
        Settings "Settings",
        Parameters "Parameters",
        Steps "Walk steps",
        Taking "Copy, export, label",
        Program "Program",
    }
}

/// What the table says about a command.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    pub command: Command,
    /// The name in key maps, tours and scripts.
    pub id: &'static str,
    /// A word or two for the hint bar.
    pub short: &'static str,
    pub title: &'static str,
    pub keys: &'static [&'static str],
    pub group: Group,
    /// One sentence.
    pub help: &'static str,
    /// Other words a person may look for.
    pub synonyms: &'static str,
    /// The command-line call that gives the same; empty where there is none.
    pub shell: &'static str,
}

macro_rules! commands {
    ($($variant:ident $id:literal $short:literal $title:literal [$($key:literal),*] $group:ident
       $help:literal $synonyms:literal $shell:literal;)+) => {
        /// Something a person can do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Command {
            $($variant,)+
            /// Makes a parameter the one that the slider keys move.
            Tune(Parameter),
        }

        static FIXED: &[Spec] = &[$(Spec {
            command: Command::$variant, id: $id, short: $short, title: $title, keys: &[$($key),*],
            group: Group::$group, help: $help, synonyms: $synonyms, shell: $shell,
        }),+];
    };
}

commands! {
    Edit "question.edit" "ask" "Edit the question" ["i"] Question
        "Focuses the question field; Enter runs, Esc cancels." "ask query search type" "hopscope ask QUESTION";
    NextQuestion "question.next" "next question" "Next question of the set" ["]"] Question
        "Runs the next question in the set." "forward example" "";
    PreviousQuestion "question.previous" "previous question" "Previous question of the set" ["["] Question
        "Asks the previous question that came with the corpus." "back example" "";
    NextLosing "question.next-losing" "next failing" "Next question with missed gold" ["n"] Question
        "Runs the following questions with these settings until one misses gold, and selects that passage. In the palette, ! limits the search to one failure class." "failing failure lost missing annotate" "hopscope eval INDEX --json";
    PreviousLosing "question.previous-losing" "previous failing" "Previous question that misses gold" ["N"] Question
        "The same, backwards." "failing failure lost missing annotate" "hopscope eval INDEX --json";    Doctor "index.doctor" "doctor" "Check the index for faults" [] Question
        "Lists hubs, isolated passages, passages without entities, split components, look-alike names and duplicates, each with a remedy and the missed gold it explains. Esc stops." "doctor health check diagnose faults isolated components" "hopscope doctor INDEX";
    OpenIndex "index.open" "open index" "Open another index or corpus" ["O"] Question
        "By path or from recent ones. The current index stays on screen until the new one is ready. Each index keeps its own session." "folder file switch load recent change data set" "hopscope INDEX";
    Resume "session.resume" "resume" "Resume the last session" ["r"] Question
        "Restores the last session on this index: runs, pins, question, settings and view. Never happens by itself." "continue restore reopen earlier before" "";
    Answer "question.answer" "answer" "Answer the question" ["I"] Question
        "Asks the --llm model to answer from the retrieved context, and marks the passages it cites. Nothing is sent until you ask. Esc stops." "llm model generate reply cite rag" "hopscope ask QUESTION --answer --llm SPEC";
    History "question.history" "history" "Question history" ["Ctrl-R"] Question
        "Lists the questions asked before, newest first; type to filter." "recent earlier log" "";

    Up "move.up" "up" "Up" ["Up", "k"] Moving "One row up; in an open text one line." "previous row" "";
    Down "move.down" "down" "Down" ["Down", "j"] Moving "One row down; in an open text one line." "next row" "";
    PageUp "move.page-up" "page up" "Page up" ["PgUp"] Moving "One page up." "scroll" "";
    PageDown "move.page-down" "page down" "Page down" ["PgDn"] Moving "One page down." "scroll" "";
    First "move.first" "first" "First row" ["g", "Home"] Moving "To the first row." "top start beginning" "";
    Last "move.last" "last" "Last row" ["G", "End"] Moving "To the last row." "bottom end" "";
    Left "move.left" "before" "Left" ["Left"] Moving
        "Slider in Parameters, step in Iterations, column in a picture, previous passage in the reader." "" "";
    Right "move.right" "after" "Right" ["Right"] Moving
        "In Parameters moves the slider, in Iterations the step, in a picture to the column after, in an open passage to the one ranked after." "" "";
    Filter "list.filter" "filter" "Filter this list" ["/"] Moving
        "Filters the focused list as you type; ranks keep their numbers. Enter keeps the filter, Esc clears it." "search find narrow grep fuzzy" "";
    Open "open" "open" "Open the selection" ["Enter"] Moving
        "Opens a passage, moves to a neighbour, or restores the settings of a session run." "enter read follow go unfold" "";
    Back "back" "back" "Back" ["Esc"] Moving
        "Closes what is open, or returns to the previous node. Never quits." "escape close cancel return" "";

    NextPane "pane.next" "next pane" "Next pane" ["Tab"] Panes "Moves focus to the next pane." "focus switch" "";
    PreviousPane "pane.previous" "previous pane" "Previous pane" ["Shift-Tab"] Panes
        "Gives the keyboard to the pane before." "focus switch" "";
    Zoom "pane.zoom" "full size" "Maximise this pane" ["F"] Panes
        "Shows the pane alone; again or Esc comes back." "zoom maximise maximize fullscreen enlarge" "";
    Preview "passage.preview" "text" "The passage's text beside the list" ["v"] Panes
        "Shows the selected passage's text beside the list; again hides it. Always on from 200 columns." "preview read look text live" "hopscope ask QUESTION --json";
    ViewExplore "view.explore" "Explore" "View: Explore" ["1"] Panes
        "Seeds, spread, neighbours, passages and why, of one run." "screen tab main" "hopscope trace QUESTION";
    ViewCompare "view.compare" "Compare" "View: Compare" ["2"] Panes
        "Pinned runs and the live run side by side: ranks, settings, which change matters, and the whole set." "screen tab runs beside difference" "hopscope eval INDEX --method A,B";
    ViewFlow "view.flow" "Flow" "View: Flow" ["3"] Panes
        "How score flows from seeds through entities to passages; a heat map of every step; each step in one sentence." "screen tab sankey picture animate heat map mass pagerank ppr" "hopscope trace QUESTION";
    ViewGraph "view.graph" "Graph" "View: Graph" ["4"] Panes
        "The subgraph behind the result: paths from seeds to passages, and gold that no path reaches." "screen tab paths subgraph tree network" "hopscope trace QUESTION --as graphml";
    DrawNext "graph.draw" "next layout" "Draw the graph as paths, tree, overview or neighbourhood" ["t"] Panes
        "In Graph: layered paths, an indented tree, a force-directed overview, or the neighbourhood in columns." "mode force layout list screen reader" "";
    Browse "graph.browse" "neighbourhood" "Browse the neighbourhood of this node" ["B", "' g"] Panes
        "In Graph: columns of neighbours with the mass each holds for this question. Right goes into a node, Left back, Enter reads a passage or pins a node. Again: from the seeds." "miller columns neighbors around expand file manager walk adjacent" "";
    FindNode "graph.find" "find node" "Find a node by name" ["f"] Panes
        "Lists nodes of the walked graph as you type; Enter goes to the neighbourhood of one. In the neighbourhood also /." "search entity name jump goto neighbourhood" "";
    HideNode "graph.hide" "hide" "Hide this node in the neighbourhood" ["x"] Panes
        "Leaves the node out of all columns, best paths and the picture, on screen alone: the walk keeps it. u brings it back." "remove filter collapse declutter" "";
    UnhideNode "graph.unhide" "unhide" "Bring the last hidden node back" ["u"] Panes
        "Shows the node that was hidden last; again the one before." "show restore hidden" "";
    Routes "graph.routes" "best paths" "Best paths to the pinned node" ["W"] Panes
        "From the node under the cursor to the pinned one, each with the share of its mass that takes it. Asks for a node where none is pinned. In the neighbourhood also w." "path between two nodes shortest route connect link" "";
    PictureNodes "graph.picture" "picture" "Draw the walked nodes as a picture" ["T"] Panes
        "The nodes you walked over and their heaviest neighbours, at most 40; Enter unfolds or folds one, x hides one. In the neighbourhood also g." "draw network force layout ego graph expand" "";
    ViewEvaluate "view.evaluate" "Evaluate" "View: Evaluate" ["5"] Panes
        "The question set under the live settings and A: measures, where gold is missed and why, questions by change, every method on this question." "screen tab set scores failures classes funnel" "hopscope eval INDEX --losses";
    ViewAnnotate "view.annotate" "Annotate" "View: Annotate" ["6"] Panes
        "A queue of missed and doubtful gold, the passage with the answer marked, and the label strip." "screen tab label queue judge" "hopscope labels INDEX --as qrels";
    GoSeeds "pane.seeds" "Seeds" "Go to Seeds" ["' s"] Panes "The nodes retrieval starts from." "jump focus" "hopscope trace QUESTION";
    GoParameters "pane.parameters" "Parameters" "Go to Parameters" ["' p"] Panes "The sliders." "jump focus settings knobs" "hopscope parameters";
    GoSession "pane.session" "Session" "Go to Session" ["' r"] Panes "The runs of this session." "jump focus runs history" "";
    GoSpread "pane.spread" "Spread" "Go to Spread" ["' m"] Panes "Mass of the walk (Personalized PageRank) per node, split by seed." "jump focus mass nodes pagerank ppr personalized" "hopscope trace QUESTION";
    GoNeighbours "pane.neighbours" "Neighbours" "Go to Neighbours" ["' n"] Panes
        "Edges of the selected node, and the mass it sends over each." "jump focus neighbors edges" "";
    GoPassages "pane.passages" "Passages" "Go to Passages" ["' l"] Panes "The ranking." "jump focus results list hits" "hopscope ask QUESTION";
    GoWhy "pane.why" "why" "Go to Why" ["w", "' w"] Panes
        "Explains the rank of the selected passage." "jump focus explain reason score attribution" "hopscope explain QUESTION --passage ID";
    GoIterations "pane.iterations" "Iterations" "Go to Iterations" ["' i"] Panes "The walk step by step." "jump focus steps timeline" "hopscope trace QUESTION";

    Method "method.choose" "method" "Choose the method" ["m", "p m"] Settings
        "Lists the methods with what each does and needs; type to filter." "algorithm retriever bm25 graph switch" "hopscope methods";
    Compose "method.compose" "compose" "Compose a method" ["M"] Settings
        "Replaces the method's seeds, graph, walk or selection; parts that do not fit say why." "seeds graph spread select combine mix parts" "hopscope ask QUESTION --graph noderag --spread push";
    SavePreset "preset.save" "save preset" "Save method and settings as a preset" ["p p"] Settings
        "Asks for a name; the preset is then in this list, in --preset NAME and in presets.toml." "store name keep own" "hopscope ask QUESTION --save-preset NAME";
    Less "slider.less" "less" "Slider: one step down" ["h"] Settings "Lowers the current parameter by one step and re-runs." "decrease minus smaller" "";
    More "slider.more" "more" "Slider: one step up" ["l"] Settings "Raises the current parameter by one step and re-runs." "increase plus larger" "";
    MuchLess "slider.jump-less" "jump down" "Slider: ten steps down" ["H"] Settings "Lowers the current parameter by ten steps." "decrease" "";
    MuchMore "slider.jump-more" "jump up" "Slider: ten steps up" ["L"] Settings "Raises the current parameter by ten steps." "increase" "";
    Default "slider.default" "default" "Slider: back to the default" ["0"] Settings
        "Resets the current parameter to the method's default." "reset zero" "";
    Defaults "settings.defaults" "all defaults" "All parameters back to their defaults" ["p 0"] Settings
        "Resets all parameters; undo restores them." "reset all clear" "";
    Sweep "slider.sweep" "sweep" "Sweep the current parameter" ["S"] Settings
        "Shows the rank of each gold passage at every value; h and l preview, Enter applies, Esc cancels." "range strip scan all values" "";
    SweepBoth "slider.sweep-both" "grid" "Sweep the current parameter and the one swept before" ["p S"] Settings
        "Shows the measure for every pair of values; h l and arrows preview, Enter applies, Esc cancels." "two parameters grid heat map against pair" "hopscope sweep INDEX QUESTION --over NAME --over NAME";
    Learn "order.learn" "learn" "Learn the order from gold and labels" ["J"] Settings
        "Trains hop's ranker on the gold of the set and the labels made here, pins the run before, and compares the two on the set. Esc stops." "ranker train tune labels gold order learned" "hopscope tune INDEX --labels FILE --out FILE";
    Compare "passage.compare" "compare with" "Compare with this passage" ["="] Settings
        "Why then compares the selected passage with this one, part by part. Again on this one: back to the passage at rank k." "compare than versus difference gap beside two columns" "hopscope explain QUESTION --passage ID --than ID";
    Pin "pin" "pin" "Pin this run" ["P"] Settings
        "Pins method and settings as A, then B and C. Pinned runs follow every question; Passages marks moves against A, Compare shows all, and the set is compared with A: R@5, 95 % interval, wins and losses." "hold against baseline compare set evaluate keep" "hopscope eval INDEX --method A,B";
    Unpin "pin.drop" "drop pin" "Drop a pinned run" ["D"] Settings "Drops the run that was pinned last." "unpin remove forget" "";
    SwapPin "pin.swap" "swap" "Swap the live run and A" ["X"] Settings
        "The live run takes the settings of A, and A those of the live run; again brings both back." "exchange switch flip" "";
    Repair "fix.find" "repairs" "Find repairs for this passage" ["R"] Settings
        "In Why of a missed passage: tries every parameter value, seed edit and graph edit, smallest first, then pairs. Esc stops." "repair fix change smallest counterfactual" "hopscope explain QUESTION --passage ID --repairs";
    FixA "fix.a" "apply a" "Apply suggestion a" ["a"] Settings
        "Applies the first repair in Why; undo reverts it." "repair try fix" "";
    FixB "fix.b" "apply b" "Apply suggestion b" ["b"] Settings "Applies the second repair in Why." "repair try fix" "";
    FixC "fix.c" "apply c" "Apply suggestion c" ["c"] Settings "Applies the third repair in Why." "repair try fix" "";
    Undo "undo" "undo" "Undo" ["z"] Settings "Undoes the last change." "revert back" "";
    Redo "redo" "redo" "Redo" ["Z"] Settings "Redoes the last undone change." "again repeat" "";

    MuteSeed "seed.mute" "mute" "Mute the selected seed" ["s x"] Settings
        "Removes the seed from the restart; again restores it. In Why of hop, mutes the selected signal." "remove drop exclude unmute" "hopscope ask QUESTION --seed NAME=mute";
    WeighSeed "seed.weight" "weight" "Weigh the selected seed" ["s w"] Settings
        "Multiplies its weight before mixing: + doubles, - halves, a number sets the factor." "boost strengthen weaken" "hopscope ask QUESTION --seed NAME=2";
    AddSeed "seed.add" "add a seed" "Add a seed" ["s a"] Settings
        "Adds an entity, or a passage after #, as a seed." "node insert new" "hopscope ask QUESTION --seed +NAME";
    PassageSeeds "seed.passages" "passages on, off" "Passage seeds: on or off" ["s d"] Settings
        "Takes the ranked passages out of the seeds; again brings them back." "dense words toggle" "hopscope ask QUESTION --set seed_k=0";

    JoinNames "graph.join" "join names" "Join names" ["e j"] Settings
        "Treats the selected name as another entity, in passages and questions; type to find it." "same alias merge spelling graph edit" "hopscope ask QUESTION --edit 'join NAME | NAME'";
    CutEdge "graph.cut" "cut edge" "Cut edge" ["e c"] Settings
        "In Neighbours: the passage mentions the name no longer." "remove edge graph edit mention" "hopscope ask QUESTION --edit 'cut NAME | #ID'";
    MuteName "graph.mute" "mute name" "Mute name for all questions" ["e x"] Settings
        "Removes the entity from the graph for every question; again restores it." "hub remove drop stop graph edit" "hopscope ask QUESTION --edit 'mute NAME'";
    GraphEdits "graph.edits" "graph edits" "Graph edits" ["e e"] Settings
        "Lists graph edits and their effect; Enter removes one, or type a new one: join, cut, add, weigh, mute, keep." "what-if patch list undo keep add weigh" "hopscope ask QUESTION --edit CHANGE";
    SavePatch "patch.save" "save patch" "Save patch" ["e s"] Settings
        "Writes the changes of the graph to a file, for --patch and Load patch; asks before it replaces one." "store keep write file export what-if" "hopscope ask QUESTION --patch FILE";
    LoadPatch "patch.load" "load patch" "Load patch" ["e o"] Settings
        "Applies a patch file; undo reverts it as a whole." "open read file import what-if" "hopscope ask QUESTION --patch FILE";

    Play "step.play" "play" "Play the walk" ["Space"] Steps "Plays the steps of the walk from the seeds on; again pauses." "animate pause start stop" "";
    StepBack "step.back" "step back" "One step back" [","] Steps "Shows the walk one step earlier." "iteration previous" "";
    StepOn "step.on" "step on" "One step on" ["."] Steps "Shows the walk one step later." "iteration next forward" "";
    StepFirst "step.first" "seeds only" "To step 0" ["{"] Steps "Shows the seeds before the first step." "iteration start beginning" "";
    Faster "step.faster" "faster" "Play faster" ["+"] Steps "Faster, up to 8 steps per second." "speed quick" "";
    Slower "step.slower" "slower" "Play slower" ["-"] Steps "One pace down, to at least one step in two seconds." "speed slow" "";
    Loop "step.loop" "loop" "Play in a loop" ["o"] Steps "Restarts at the end; again turns looping off." "repeat again" "";
    StepLast "step.last" "end" "To the last step" ["}"] Steps "Shows the result again." "iteration end final" "";

    Copy "copy.text" "copy" "Copy as text" ["y"] Taking "Copies the selected row or passage as text." "yank clipboard" "hopscope ask QUESTION";
    CopyJson "copy.json" "copy JSON" "Copy as JSON" ["Y"] Taking "Copies the focused pane as JSON." "yank clipboard export" "hopscope ask QUESTION --json";
    CopyShell "copy.shell" "copy command" "Copy the shell command of this view" ["C"] Taking
        "Copies a shell command that reproduces this view." "cli script reproduce clipboard" "hopscope ask QUESTION --set NAME=VALUE";

    ExportRun "export.run" "run file" "Write this run as a TREC file" ["E r"] Taking
        "The ranking on screen as qid, Q0, passage, rank, score, method; hopscope-run.run where the program was started." "export save trec file" "hopscope eval INDEX --run FILE";
    ExportJson "export.json" "JSON file" "Write the focused pane as JSON" ["E j"] Taking
        "What Y copies, as a file." "export save" "hopscope ask QUESTION --json";
    ExportRows "export.rows" "rows" "Write the focused list as TSV" ["E t"] Taking
        "Tab-separated, under a head: passages, seeds, nodes, neighbours, runs, questions of the set, methods." "export save tsv table csv" "";
    ExportDot "export.dot" "DOT file" "Write the traced graph for Graphviz" ["E d"] Taking
        "Seeds, visited nodes, passages and their edges, as hopscope-graph.dot in the current folder." "export save graphviz nodes edges subgraph" "hopscope trace INDEX QUESTION --as dot";
    ExportGraphml "export.graphml" "GraphML" "Write the traced graph as GraphML" ["E g"] Taking
        "The same for Gephi, yEd and networkx; hopscope-graph.graphml." "export save gephi yed networkx nodes edges subgraph" "hopscope trace INDEX QUESTION --as graphml";
    ExportGexf "export.gexf" "GEXF" "Write the traced graph as GEXF" ["E x"] Taking
        "For Gephi, with the steps as time: the score of a node and the mass of an edge at each; hopscope-graph.gexf." "export save gephi timeline dynamic nodes edges subgraph" "hopscope trace INDEX QUESTION --as gexf";
    ExportNodeLink "export.node-link" "node-link" "Write the traced graph as node-link JSON" ["E n"] Taking
        "For networkx and D3; hopscope-graph.json." "export save json networkx d3 nodes edges subgraph" "hopscope trace INDEX QUESTION --as node-link";
    ExportHtml "export.html" "page" "Write the traced graph as a page" ["E h"] Taking
        "One page for a browser, without network: the graph with a slider over the steps, and its tables; hopscope-graph.html." "export save html web browser share nodes edges subgraph" "hopscope trace INDEX QUESTION --as html";
    ExportPicture "export.picture" "picture" "Write the screen as an SVG picture" ["E s"] Taking
        "hopscope-screen.svg where the program was started, in the colours of the theme." "export save figure screenshot" "hopscope --screenshot FILE.svg";
    ExportFigure "export.figure" "figure" "Write the focused pane as a figure" ["E p"] Taking
        "Writes this pane alone as SVG, for paper: theme print, no cursor. The file is named after the pane, where the program was started. F first makes the pane large." "export save picture svg paper print pane latex" "hopscope --screenshot FILE.svg --pane NAME";
    Label "label.open" "label" "Label this passage" ["A", "e l"] Taking
        "Opens the label strip: 0 1 2 grade, a letter the cause, + and - gold, n a note, Enter saves." "annotate judge grade cause gold note pen" "hopscope labels INDEX --as qrels";
    Blind "label.blind" "blind" "Blind labelling" ["e b"] Taking
        "Hides gold, ranks and verdicts in Annotate, and records that in every label; again shows them." "annotate bias mask" "";
    Withdraw "label.withdraw" "withdraw" "Take the last label back" ["e z"] Taking
        "Withdraws your latest label; the previous one becomes valid again." "annotate undo remove" "";
    Mask "passages.mask" "hide text" "Hide passage text" ["K"] Taking
        "Hides passage text, for screenshots of private corpora; again shows it." "mask privacy screenshot redact" "";
    Palette "palette" "commands" "Find a command" ["Ctrl-P", ":"] Program
        "Finds commands, parameters and values; @ finds nodes, # passages, ? questions, ! failing questions." "search find run" "";
    Help "help" "help" "Help" ["?", "F1"] Program "Lists all keys; type to filter." "keys manual shortcuts bindings" "hopscope --help";
    Messages "messages" "messages" "Message log" ["F3"] Program
        "Status messages of this session, newest first; type to filter." "log errors warnings history said" "";
    Themes "theme.choose" "theme" "Choose a theme" [] Program
        "Lists the themes; the one under the cursor is drawn, Enter keeps it for this session, Esc goes back." "colour color dark light contrast print" "hopscope --theme NAME";
    Lessons "lesson.list" "lessons" "Lessons" ["F2"] Program
        "Built-in lessons: guided steps with questions, on the sample." "pagerank tutorial tour teach learn class course" "hopscope --lesson NAME";
    LessonOn "lesson.on" "go on" "Lesson: next step" [">"] Program "The next step of the lesson; after the last one it ends." "next continue" "";
    LessonBack "lesson.back" "step back" "Lesson: one step back" ["<"] Program "The step before, from its beginning." "previous" "";
    LessonLeave "lesson.leave" "leave" "Lesson: leave it" [] Program "Ends the lesson and restores your settings." "stop quit end" "";
    Present "present" "present" "Presentation mode" ["F5"] Program
        "Fewer panes, wider spacing, two-digit numbers; again turns it off." "big large projector class talk slides font zoom" "hopscope --present";
    Suspend "suspend" "suspend" "Suspend" ["Ctrl-Z"] Program
        "Gives the terminal back to the shell and stops; fg goes on here." "background job stop shell pause fg" "";
    Quit "quit" "quit" "Quit" ["q", "Ctrl-C"] Program "Leaves and restores the terminal." "exit leave close" "";
    QuitKeep "quit.keep" "quit, keep screen" "Quit and leave the screen" ["Q"] Program
        "Quits and leaves the last screen in the scrollback." "exit print" "";
}

/// Keys that mean something else while the neighbourhood of nodes has the keyboard.
pub const IN_COLUMNS: &[(char, Command)] = &[
    ('/', Command::FindNode),
    ('w', Command::Routes),
    ('g', Command::PictureNodes),
];

/// The second key of the chord that makes a parameter current. Parameters of the seeds begin with `s`, others with `p`.
const CHORDS: &[(Parameter, &str)] = &[
    (Parameter::Ner, "p n"),
    (Parameter::Norm, "p f"),
    (Parameter::AliasLinking, "p i"),
    (Parameter::Gazetteer, "p ,"),
    (Parameter::Subjects, "p ."),
    (Parameter::EdgeWeight, "p w"),
    (Parameter::MinDf, "p ["),
    (Parameter::MaxDfRatio, "p ]"),
    (Parameter::PruneTopPct, "p x"),
    (Parameter::EdgeCap, "p c"),
    (Parameter::HubP, "p h"),
    (Parameter::Tokens, "p o"),
    (Parameter::Bm25K1, "p 1"),
    (Parameter::Bm25B, "p b"),
    (Parameter::Rm3Docs, "p g"),
    (Parameter::Rm3Terms, "p j"),
    (Parameter::Rm3Original, "p q"),
    (Parameter::Rm3Pool, "p u"),
    (Parameter::Step2Docs, "p 2"),
    (Parameter::Step2Entities, "p v"),
    (Parameter::Step2Weight, "p y"),
    (Parameter::Step2Rule, "p z"),
    (Parameter::RrfC, "p 3"),
    (Parameter::RrfDepth, "p 4"),
    (Parameter::Fusion, "p 5"),
    (Parameter::RerankDepth, "p 6"),
    (Parameter::VectorSearch, "p 7"),
    (Parameter::HnswM, "p 8"),
    (Parameter::HnswEfConstruction, "p 9"),
    (Parameter::HnswEfSearch, "p s"),
    (Parameter::SeedQ, "s q"),
    (Parameter::SeedK, "s k"),
    (Parameter::SeedWeight, "s r"),
    (Parameter::SoftmaxTau, "s t"),
    (Parameter::Fallback, "s f"),
    (Parameter::Mix, "s m"),
    (Parameter::MixA, "s e"),
    (Parameter::Walk, "p l"),
    (Parameter::Alpha, "p a"),
    (Parameter::Steps, "p t"),
    (Parameter::Epsilon, "p e"),
    (Parameter::PushThreshold, "p r"),
    (Parameter::Dangling, "p d"),
    (Parameter::ResultK, "p k"),
];

impl Command {
    /// Every command: those of the table, then one for each parameter.
    pub fn all() -> impl Iterator<Item = Command> {
        let tuning = Parameter::ALL.iter().map(|p| Command::Tune(*p));
        FIXED.iter().map(|spec| spec.command).chain(tuning)
    }

    fn fixed(self) -> Option<&'static Spec> {
        FIXED.iter().find(|spec| spec.command == self)
    }

    /// The name in key maps, tours and scripts.
    pub fn id(self) -> String {
        match self {
            Command::Tune(p) => format!("parameter.{}", p.id()),
            _ => self
                .fixed()
                .map_or_else(String::new, |spec| spec.id.to_owned()),
        }
    }

    pub fn from_id(id: &str) -> Option<Command> {
        match id.strip_prefix("parameter.") {
            Some(name) => Parameter::from_id(name).map(Command::Tune),
            None => FIXED
                .iter()
                .find(|spec| spec.id == id)
                .map(|spec| spec.command),
        }
    }

    pub fn short(self) -> &'static str {
        match self {
            Command::Tune(p) => p.declaration().label,
            _ => self.fixed().map_or("", |spec| spec.short),
        }
    }

    pub fn title(self) -> String {
        match self {
            Command::Tune(p) => format!("Tune {}", p.declaration().label),
            _ => self
                .fixed()
                .map_or_else(String::new, |spec| spec.title.to_owned()),
        }
    }

    /// The keys it has unless the person bound others.
    pub fn keys(self) -> Vec<&'static str> {
        match self {
            Command::Tune(p) => CHORDS
                .iter()
                .filter(|(q, _)| *q == p)
                .map(|(_, key)| *key)
                .collect(),
            _ => self
                .fixed()
                .map_or_else(Vec::new, |spec| spec.keys.to_vec()),
        }
    }

    pub fn group(self) -> Group {
        self.fixed().map_or(Group::Parameters, |spec| spec.group)
    }

    pub fn help(self) -> &'static str {
        match self {
            Command::Tune(p) => p.declaration().meaning,
            _ => self.fixed().map_or("", |spec| spec.help),
        }
    }

    pub fn synonyms(self) -> String {
        match self {
            Command::Tune(p) => {
                let known = match p {
                    Parameter::Alpha => " pagerank ppr personalized damping restart probability",
                    Parameter::Steps => " pagerank ppr iterations",
                    _ => "",
                };
                format!(
                    "{} {} parameter slider{known}",
                    p.id(),
                    p.declaration().symbol
                )
            }
            _ => self
                .fixed()
                .map_or_else(String::new, |spec| spec.synonyms.to_owned()),
        }
    }

    /// The command-line call that gives the same; empty where there is none.
    pub fn shell(self) -> String {
        match self {
            Command::Tune(p) => format!("hopscope ask QUESTION --set {}=VALUE", p.id()),
            _ => self
                .fixed()
                .map_or_else(String::new, |spec| spec.shell.to_owned()),
        }
    }
}

impl Serialize for Command {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.id())
    }
}

impl<'de> Deserialize<'de> for Command {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Command, D::Error> {
        let id = String::deserialize(deserializer)?;
        Command::from_id(&id).ok_or_else(|| serde::de::Error::custom(format!("no command '{id}'")))
    }
}
