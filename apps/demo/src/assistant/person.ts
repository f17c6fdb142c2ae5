/** The user's own words as a fact about them: "my dog is Rex" becomes "The user's dog is Rex". */
export function asFact(words: string): string {
  const fact = words
    .replaceAll(/\bmy\b/gi, "the user's")
    .replaceAll(/\bi(?: am|'m)\b/gi, "the user is")
    .replaceAll(/\bme\b/gi, "the user");
  return `${fact.charAt(0).toUpperCase()}${fact.slice(1)}`;
}

/** A fact as the user would say it. */
export const asSaid = (fact: string): string =>
  fact
    .replaceAll(/\bthe user's\b/gi, "my")
    .replaceAll(/\bthe user is\b/gi, "I am")
    .replaceAll(/\bthe user\b/gi, "me");
