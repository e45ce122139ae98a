//! Word lists that tell persons from other names.

use rustc_hash::FxHashSet;
use std::sync::LazyLock;

/// First names of many countries, lower case.
pub static FIRST_NAMES: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| {
    "aaron abdul abdullah abigail abraham adam ada adele adolf adrian agatha agnes ahmed aidan ajay akira al alain alan albert alberto \
     alejandro aleksandr alessandro alex alexander alexandra alexandre alexei alfonso alfred alfredo alice alicia alison allan allen \
     alma alois alphonse amanda amber amelia amir amy ana anastasia anders andrea andreas andrei andrew andrey andy angel angela \
     angelina angelo anita ann anna anne annette annie anthony antoine anton antonia antonio april archie archibald ariel aristotle armand arnold \
     art arthur artur arturo arun ashley ashok astrid audrey august augustus aurelio austin ava axel barbara barack barney barry bart \
     basil beatrice beatrix becky ben benedict benito benjamin benny bernard bernardo bernd bernhard bernice bert bertha bertrand beth \
     betsy betty beverly bill billie billy bjorn bjørn blake bob bobby bonnie boris brad bradley brandon brenda brendan brent bret brett brian bridget \
     britney brittany brooke bruce bruno bryan bryce burt byron caleb calvin cameron camilla camille candice carl carla carlo carlos \
     carmen carol carole carolina caroline carolyn carrie carter cary casey caspar cassandra catherine cathy cecil cecilia cedric celia cesar césar chad \
     charlene charles charlie charlotte chelsea cheryl chester chloe chris christa christian christiane christina christine christoph \
     christophe christopher chuck cindy claire clara clarence clark claude claudia claudio clay clement clifford clint clinton clive clyde cody \
     colin colleen connie connor conrad constance cornelius corey cory courtney craig cristina curtis cynthia cyril daisy dale damian damon dan dana daniel \
     daniela daniele danielle danny dante daphne darius darrell darren dave david davide dawn dean debbie deborah debra deepak dennis denis denise \
     denzel derek derrick desmond diana diane dick diego dieter dimitri dina dirk dmitri dmitry dolores dominic dominique don donald donna \
     donnie dora doris dorothy doug douglas drew duane duncan dustin dwayne dwight dylan earl ed eddie edgar edith edmond edmund edna eduardo \
     edvard edward edwin eileen elaine eleanor elena eli elias elijah elisabeth elizabeth ella ellen elliot elliott ellis elmer eloise elsa elsie elton \
     elvis emanuel emerson emil emile émile emilia emilio emily emma emmanuel enrico enrique eric erica erich erik erika erin ernest ernesto ernst erwin \
     esteban esther ethan ethel etienne étienne eugene eugène eugenio eva evan evelyn ezra faith farah fatima federico felicia felipe felix ferdinand \
     fernando fidel fiona florence floyd frances francesca francesco francine francis francisco franco françois frank frankie franklin franz fred freddie \
     freddy frederic frédéric frederick frederik freya friedrich fritz gabriel gabriela gabriele gabrielle gail galileo gareth garrett gary gavin gaston gene \
     geoff geoffrey georg george georges georgia georgina gerald geraldine gerard gérard gerhard gerry giacomo gilbert gilles gillian gina giorgio giovanni \
     giulia giuseppe gladys glen glenn gloria gordon grace graham grant greg gregor gregory greta gretchen grigory guido guillermo günter gunther gus gustav gustave \
     gustavo guy gwen hank hannah hannibal hans harald harold harriet harris harry harvey hassan hazel heath heather hector hector heidi heinrich heinz helen helena \
     helene helga helmut henri henrietta henrik henry herbert herman hermann hermione hilary hilda hillary hiroshi holly homer hope horace horatio howard hubert hugh \
     hugo humphrey ian ibrahim ida ignacio igor ilya immanuel imran ines inga ingmar ingrid ira irene irina iris irma irving isaac isabel isabella isabelle isaiah ismail ivan \
     ivy jack jackie jackson jacob jacqueline jacques jaime jake jakob jamal james jamie jan jane janet janice jared jason javier jay jayne jean jeanette \
     jeanne jeff jefferson jeffrey jennifer jenny jeremiah jeremy jerome jerry jesse jessica jessie jill jim jimmy jo joachim joan joanna joanne joaquin \
     jodie joe joel joey johan johann johanna johannes john johnnie johnny jon jonah jonas jonathan joni jordan jorge josé jose josef joseph josephine josh joshua josiah \
     joy joyce juan juana juanita judith judy jules julia julian juliana julie julien juliet julio julius june jürgen jurgen justin justine karen karim karin \
     karl karla kate katarina katharine katherine kathleen kathryn kathy katie katrina kay keanu keira keith kelly kelvin ken kenneth kenny kent kenji kerry kevin khalid kieran \
     kim kimberly kirk kirsten kirsty klaus konrad konstantin kris kristen kristin kristina kurt kyle kylie lance lara larry lars laura lauren laurence laurent laurie \
     lawrence lea leah lee leif leila lena leo leon leonard leonardo leonid leopold leroy leslie lester lewis liam lillian lily linda lindsay lindsey \
     linus lionel lisa liz liza lloyd lois lola lorenzo loretta lori lorraine lou louis louisa louise luc luca lucas lucia luciano lucien lucille lucius lucy \
     ludwig luigi luis luke luther lydia lyle lyndon lynn mabel madeleine madeline madonna mae magdalena maggie magnus mahmoud mahatma malcolm mandy manfred manuel mara marc marcel marcello \
     marcia marco marcos marcus margaret margarita margot maria marian marianne marie marilyn mario marion marisa marjorie mark marlene marlon marsha \
     marshall martha martin martina marty marvin mary mason mathew mathias mathieu matilda matt matteo matthew matthias maud maureen maurice mauricio max maximilian \
     maxine maxwell maya megan mehmet mel melanie melinda melissa melvin mercedes meredith meryl mia michael michaela michel michele michelle mick mickey miguel \
     mikael mike mikhail mildred miles milton mimi minnie miranda miriam mitchell mo moe mohamed mohammad mohammed moira molly mona monica monique monty morgan morris moses \
     muhammad murray mustafa myra myron nadia nancy naomi narendra natalia natalie natasha nathan nathaniel neal ned neil nell nelson neville niccolò niccolo nicholas nick nicky \
     nicola nicolas nicole nigel nikita nikola nikolai nils nina noah noam noel nora norbert noreen norma norman octavia olaf oleg olga oliver olivia olivier ollie \
     omar oprah orson oscar oskar osman otis otto owen pablo pam pamela paolo parker pascal pat patricia patrice patrick patsy patti patty paul paula pauline \
     pavel pearl pedro peggy penelope penny percy perry pete peter petra phil philip philippa philippe phillip phoebe phyllis pierce pierre pietro piotr placido plato priscilla \
     priya prince quentin quincy rachel rafael rahul raj rajesh ralph ramon ramón randall randolph randy raoul raphael raquel raul raúl ravi ray raymond rebecca reginald \
     regina reinhard reinhold rembrandt rené rene renée renee reuben rex rhonda ricardo richard rick ricky riley rita rob robbie robert roberta roberto robin rocco rod roderick \
     rodney rodolfo rodrigo roger rogers roland rolf roman romeo ron ronald ronnie rory rosa rosalind rosanna rose rosemary rosie ross roy ruben ruby rudolf \
     rudolph rudy rudyard rufus rupert russell rusty ruth ryan sabine sabrina sachin sadie sal sally salman salvador salvatore sam samantha samir sammy samson samuel sandra \
     sandro sandy sanjay santiago sara sarah saul scarlett scott sean sebastian serena serge sergei sergey sergio seth shane shannon sharon shaun shawn sheila \
     shelley sherlock sherry shirley sidney siegfried sigmund silvia silvio simon simone siobhan socrates sofia solomon sonia sonja sophia sophie spencer stacy stan \
     stanley stefan stefano stella stephan stephanie stephen sterling steve steven stewart stuart sue sunil susan susanna susanne suzanne sven sybil sydney sylvester \
     sylvia tamara tanya tara tariq tatiana taylor ted terence teresa terrence terri terry tess thaddeus thelma theo theodor theodore theresa thérèse thomas thor tiffany tim timothy \
     tina tito tobias toby todd tom tomas tomás tommy toni tony tracey tracy travis trevor tricia trisha troy tyler tyrone ulrich umberto ursula usain val valentina valentino \
     valerie vanessa vasily vera vernon veronica vicki vicky victor victoria vijay viktor vince vincent vincente vincenzo viola violet virgil virginia vito vittorio vivian \
     vivien vladimir wade wallace wally walt walter wanda warren wayne wendell wendy werner wesley wilbur wilfred wilfrid wilhelm will willa willard willem \
     william willie willis wilma winifred winston wolfgang woodrow woody xavier yasser yolanda yoko yuri yves yvette yvonne zachary zelda zoe zoë"
        .split_whitespace()
        .collect()
});

pub const HONORIFICS: &[&str] = &[
    "mr",
    "mrs",
    "ms",
    "miss",
    "dr",
    "prof",
    "professor",
    "sir",
    "lady",
    "lord",
    "dame",
    "rev",
    "reverend",
    "father",
    "sister",
    "saint",
    "pope",
    "king",
    "queen",
    "prince",
    "princess",
    "emperor",
    "empress",
    "president",
    "senator",
    "governor",
    "judge",
    "justice",
    "captain",
    "capt",
    "colonel",
    "col",
    "general",
    "gen",
    "lieutenant",
    "lt",
    "sergeant",
    "sgt",
    "major",
    "admiral",
    "aunt",
    "uncle",
    "madame",
    "monsieur",
    "don",
    "doña",
    "count",
    "countess",
    "duke",
    "duchess",
    "baron",
    "baroness",
];

/// More words before persons' names, offices and ways of address in several languages, folded. They are no evidence that
/// a name is a person's, as honorifics are.
pub static OFFICES: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| {
    "acting ambassador archbishop bishop brigadier cardinal chairman chancellor chief comrade congressman corporal \
     deputy director doctor former frau gov herr hon kaiser madam maharaja marshal minister mlle mme monsignor \
     premier presidente presidents prime rabbi rep representative secretary sen senor senora shah sheikh signor \
     signora sultan tsar vice"
        .split_whitespace()
        .collect()
});

/// Words no person's name contains: with one of them a name is a place, a work or an organisation.
pub static NO_PERSON: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| {
    "academy agency airline airlines airport album alliance amphitheatre apartments arena army art association avenue award awards band bank basin \
     battle bay beach board book books borough brewery bridge brigade broadcasting brothers building bureau cabinet camp canal canyon cape castle cathedral cave center central \
     centre chamber championship championships channel chapel church cinema circuit city civil club coast college colony commission committee community \
     company comics conference congress constitution convention cooperative corporation corps council country county course court creek crown cup dam day \
     department desert diocese district division dynasty education election elections electric empire energy engineering enterprises entertainment \
     estate exchange exhibition expedition falls federal federation festival field films fleet football force forces forest fort forum foundation \
     fund galaxy gallery games garden gardens gate government group guard hall harbor harbour heights high highway hill hills historic history hospital \
     hotel house inc industries inlet institute institution insurance international interstate island islands isle journal kingdom lake lane league \
     library limited line literature llc lodge magazine management manor market medal media memorial metro metropolitan mill mills mine ministry \
     monastery monument motors mount mountain mountains movement municipality museum music national nations navy network news newspaper north \
     observatory ocean office olympic olympics open opera orchestra order organization organisation palace park parish parliament party pass peak peninsula people philharmonic \
     plain plains plateau point police pond port post prefecture press prison prize productions province public publishing quarter radio railroad railway \
     range ranch records recordings region regiment republic reservation reserve reservoir research review ridge river road rock route royal rugby \
     school schools science sciences sea series senate service services ship show site society software song south southern northern eastern western east west sound \
     spring springs square stadium state states station stock strait street studio studios symphony systems tavern team technologies technology \
     television temple territory test theater theatre times tournament tower town township trail treaty trial trust tunnel union united university \
     valley village volcano volume wall war waterfall water weekly wing woods world yard zone zoo band's f.c fc a.f.c u.s usa uk tv ii's act acts code bill amendment \
     open cup super bowl series season edition vs january february march april may june july august september october november december"
        .split_whitespace()
        .collect()
});

/// Heads whose "of" continues the name, whatever stands before them: "National Register of Historic Places".
pub const OF_HEADS: &[&str] = &[
    "academy",
    "archdiocese",
    "army",
    "association",
    "bank",
    "battle",
    "bishop",
    "board",
    "book",
    "bureau",
    "cathedral",
    "chamber",
    "church",
    "college",
    "commission",
    "committee",
    "confederation",
    "council",
    "county",
    "court",
    "department",
    "diocese",
    "duchy",
    "duke",
    "earl",
    "faculty",
    "federation",
    "gallery",
    "hall",
    "house",
    "institute",
    "island",
    "isle",
    "kingdom",
    "king",
    "law",
    "library",
    "list",
    "lord",
    "marquess",
    "medal",
    "ministry",
    "museum",
    "office",
    "order",
    "order",
    "party",
    "prince",
    "province",
    "queen",
    "register",
    "registry",
    "republic",
    "school",
    "secretary",
    "siege",
    "society",
    "state",
    "states",
    "theatre",
    "treaty",
    "union",
    "university",
    "war",
    "wars",
];
