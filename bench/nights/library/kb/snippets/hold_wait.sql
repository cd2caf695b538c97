select avg(julianday(ready_on) - julianday(placed_on)) as days
from holds
where branch = {{ branch }}
  and state in ('ready', 'collected')
  and placed_on between {{ period.start }} and {{ period.end }}
