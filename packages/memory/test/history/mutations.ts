import type { Message } from "@jaf/memory";

/** A small seeded generator (mulberry32), to reproduce a failing mutation from its seed. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** One to four times: drops a message, swaps two, or copies one to any place. */
export function mutate(messages: readonly Message[], random: (below: number) => number): Message[] {
  const mutated = [...messages];
  for (let steps = 1 + random(4); steps > 0 && mutated.length > 0; steps--) {
    const at = random(mutated.length);
    const other = random(2) === 0 ? Math.min(at + 1, mutated.length - 1) : random(mutated.length);
    const [message, partner] = [mutated[at], mutated[other]];
    if (message === undefined || partner === undefined) continue;
    switch (random(3)) {
      case 0:
        mutated.splice(at, 1);
        break;
      case 1:
        mutated[at] = partner;
        mutated[other] = message;
        break;
      default:
        mutated.splice(other, 0, structuredClone(message));
    }
  }
  return mutated;
}
