import * as porter2 from "porter2";

/** Returns the stem of a lower-case English word, e.g. `buy` for `bought` and `buying`. Other words stay unchanged. */
export function stem(word: string): string {
  // By the Porter2 rules, after irregular forms and everyday synonyms. Stored indexes contain the stems, so a change of
  // the rules requires a new index.
  const base = lemmas.get(word) ?? word;
  return base !== APART && /^[a-z]{3,40}$/.test(base) ? porter2.stem(base) : base;
}

/** A word that is its own stem. */
// By the Porter2 rules, it would have the same stem as `universe`.
const APART = "university";

/** In each line: a base form and its irregular forms. */
// Some of the forms are other words, too (`left`, `saw`).
const IRREGULAR = `
arise arose arisen
bear bore borne
beat beaten
become became
begin began begun
bend bent
bet bets
bite bit bitten
bleed bled
blow blew blown
break broke broken
breed bred
bring brought
build built
burn burnt
buy bought
catch caught
choose chose chosen
come came
creep crept
cut cutting
deal dealt
die dying
dig dug
do did done does
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
fly flew flown flies
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given
go went gone goes
grow grew grown
hang hung
have has had having
hear heard
hide hid hidden
hold held
keep kept
kneel knelt
know knew known
lay laid
lead led
lean leant
leap leapt
learn learnt
leave left
lend lent
lie lying
light lit
lose lost
make made
mean meant
meet met
overcome overcame
pay paid
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
sew sewn
shake shook shaken
shine shone
shoot shot
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
slide slid
speak spoke spoken
speed sped
spend spent
spill spilt
spin spun
spring sprang sprung
stand stood
steal stole stolen
stick stuck
sting stung
strike struck
string strung
swear swore sworn
sweep swept
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
tie tying
understand understood
wake woke woken
wear wore worn
weep wept
win won
withdraw withdrew withdrawn
write wrote written
child children
foot feet
goose geese
knife knives
loaf loaves
man men
mouse mice
person people
self selves
shelf shelves
tooth teeth
wife wives
wolf wolves
sky skies
ski skis
woman women
`;

/** In each line: a base form and its everyday synonyms. */
// A question can use another word than the answer.
const EVERYDAY = `
mother mom moms mum mums mommy mama momma
father dad dads daddy papa
child kid kids kiddo kiddos
grandmother grandma grandmas granny nana
grandfather grandpa grandpas granddad
brother bro
photo photograph photographs pic pics picture pictures photos
television tv
telephone phone phones
refrigerator fridge
bicycle bike bikes bicycles
vacation holiday holidays vacations
movie film films movies
birthday bday
university college uni colleges universities
doctor doc physician doctors
dog puppy puppies pup pups doggy dogs
cat kitten kittens kitty
favorite favourite fave favorites favourites
color colour colors colours
`;

/** Words of negation. All of them get the stem `not`. */
// So a fact and its opposite don't have the same stems.
const NEGATIONS = `
not no never nor cannot none dont doesnt didnt isnt arent wasnt werent wont wouldnt cant couldnt shouldnt havent hasnt hadnt aint
`;

const NUMBERS = `
1 one
2 two
3 three
4 four
5 five
6 six
7 seven
8 eight
9 nine
10 ten
11 eleven
12 twelve
`;

const table = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text
      .trim()
      .split("\n")
      .flatMap((line) => {
        const [base = "", ...forms] = line.split(" ");
        return forms.map((form): [string, string] => [form, base]);
      }),
  );

const lemmas = new Map([...table(IRREGULAR), ...table(EVERYDAY), ...table(NEGATIONS), ...table(NUMBERS)]);
