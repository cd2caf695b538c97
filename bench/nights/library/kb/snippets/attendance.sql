select kind, sum(attended) as guests
from events
where branch = {{ branch }}
  and kind in ('reading', 'workshop')
  and cancelled = 'n'
  and day between {{ period.start }} and {{ period.end }}
group by kind
order by kind
