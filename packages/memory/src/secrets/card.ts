const DIGITS = /(?<![\d.+])\d(?:[ -]?\d){12,18}(?![\d.]?\d)/g;

/** Whether a text holds the number of a payment card, by Luhn's check. */
export const holdsCardNumber = (text: string): boolean =>
  [...text.matchAll(DIGITS)].some(([number]) => {
    const digits = [...number.replaceAll(/\D/g, "")].reverse();
    const sum = digits.reduce((total, digit, index) => {
      const value = Number(digit) * ((index % 2) + 1);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
    return sum % 10 === 0 && new Set(digits).size > 1;
  });
