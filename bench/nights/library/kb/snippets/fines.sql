select sum(f.cents) / 100.0 as euros
from fines f, loans l
where l.loan_id = f.loan_id
  and l.branch = {{ branch }}
  and f.state in ('open', 'paid', 'disputed')
  and f.raised_on between {{ period.start }} and {{ period.end }}
