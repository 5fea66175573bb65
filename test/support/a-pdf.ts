/** A PDF of one page with these lines of text, an empty one making a gap; written out here, so that tests need no file. */
export function aPdf({ title, lines }: { title?: string; lines: readonly string[] }): Uint8Array {
  const shown = lines.map((line, at) => (line === '' ? '' : `BT /F1 12 Tf 72 ${720 - at * 16} Td (${line}) Tj ET`));
  const content = shown.filter((line) => line !== '').join('\n');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< ${title === undefined ? '' : `/Title (${title})`} >>`,
  ];
  let pdf = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = pdf.length;
    pdf += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R /Info ${objects.length} 0 R >>\nstartxref\n${pdf.length}\n%%EOF\n`;
  return new TextEncoder().encode(`${pdf}xref\n0 ${size}\n0000000000 65535 f \n${table}${trailer}`);
}
