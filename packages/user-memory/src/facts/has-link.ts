const LINK =
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/|\bwww\.|!?\[[^\]]{0,2000}\]\s?[([]|\b(?:data|javascript|mailto):|<\s*(?:img|a|iframe|script)\b/iu;

/** Whether a text holds an address, an image or a link: something that a page that shows it would load or offer. */
export const hasLink = (text: string): boolean => LINK.test(text.normalize("NFKC"));
