// What SheetJS shows of numbers under formats: rows of [code, value] as JSON on the command line.
import SSF from "ssf";

const rows = JSON.parse(process.argv[2]);
console.log(JSON.stringify({ shown: rows.map(([code, value]) => SSF.format(code, value)) }));
