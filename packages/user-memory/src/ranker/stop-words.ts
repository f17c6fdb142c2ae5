const WORDS = `
a an the this that these those some any each every either neither both all
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves one ones someone somebody something anyone anybody anything everyone
everybody everything
am is are was were be been being do does did doing done have has had having will would shall should can could may
might must ought
and or but so if then than because as while until although though unless since whether
of at by for with about against between into through during to from in out on off over under onto upon within without
who whom whose which what when where why how
there here again once very too just also only own same such other another more most much many few
yes ok okay oh hey hi hello wow yeah yep nope hmm haha lol
get got really thanks thank
im ive id ill youre youve hes shes theyre theyve thats theres whats lets
`;

const words: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/));

/** Whether a word, folded, says nothing of what a text is about. English only. */
export const isStopWord = (word: string): boolean => words.has(word);
