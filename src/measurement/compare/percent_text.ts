/** A fraction in percent with its sign: `+20.7 %`. */
export function percentText(share: number): string {
  return `${signedText(share * 100)} %`;
}

/** A number with its sign and one digit after the point: `+20.7`. */
export function signedText(value: number): string {
  const text = Math.abs(value) >= 1000 ? groupedText(value) : value.toFixed(1);
  if (/^-?0\.0$/.test(text)) return "0.0";
  return value > 0 ? `+${text}` : text;
}

/** A whole number, thousands apart. */
export function groupedText(value: number): string {
  return value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ",");
}
